internal import CRxCore

/// The operator whose own error is on its way down the calling thread: for who finds that nobody takes the error.
@usableFromInline
enum Thrower {
    /// Runs `body`, which hands on an error of the operator's.
    @usableFromInline
    static func named(_ type: Any.Type, _ body: () -> Void) {
        let thread = crx_thread_get()
        let outer = thread.pointee.thrower
        thread.pointee.thrower = unsafeBitCast(type, to: UnsafeRawPointer.self)
        body()
        thread.pointee.thrower = outer
    }

    /// The error has been dealt with: who takes over has errors of its own.
    static func forget() {
        crx_thread_get().pointee.thrower = nil
    }

    /// What a program calls the operator; nil where none has thrown.
    static var name: String? {
        guard let thrower = crx_thread_get().pointee.thrower else { return nil }
        let name = String(describing: unsafeBitCast(thrower, to: Any.Type.self)).prefix { $0 != "<" }
        return name.prefix(1).lowercased() + name.dropFirst()
    }
}
