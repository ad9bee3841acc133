internal import CRxCore

/// A point in a public call at which RxTest's `explore` decides which thread runs next. Has no effect on a thread that
/// `explore` does not control, or that holds a lock. Returns true.
///
/// Called only in an `assert`, so a release build does not contain it.
///
/// - Parameter call: the name of the call in the timeline of `explore`.
@usableFromInline
func isControlPoint(_ call: StaticString) -> Bool {
    crx_thread_locks_held() > 0
        || crx_explore_call(call.cString)
}

extension StaticString {
    /// The address of the bytes, which live as long as the process.
    package var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
