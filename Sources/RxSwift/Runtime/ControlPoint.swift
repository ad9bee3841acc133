internal import CRxCore

/// A point in a public call at which RxTest's `explore` decides which thread runs next. Has no effect on a thread that
/// is not controlled or that holds a lock.
///
/// Called only in an `assert`, so a release build contains neither the call nor its argument.
///
/// - Parameter call: the name of the call in the timeline that `explore` prints.
/// - Returns: true.
@usableFromInline
func isControlPoint(_ call: StaticString) -> Bool {
    crx_thread_locks_held() > 0
        || crx_explore_call(call.cString)
}

extension StaticString {
    /// The text as a C string. It lives as long as the process, and its address identifies the place in the source.
    package var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
