internal import CRxCore

/// An operator, and its own error that is on its way down the calling thread: for who finds that nobody takes it.
@usableFromInline
struct Thrower {
    private let type: Any.Type
    private let error: any Error

    /// Runs `body`, which hands on an error of the operator's.
    @usableFromInline
    static func named(_ type: Any.Type, _ error: any Error, _ body: () -> Void) {
        let thread = crx_thread_get()
        let outer = thread.pointee.thrower
        withUnsafePointer(to: Thrower(type: type, error: error)) { thrower in
            thread.pointee.thrower = UnsafeRawPointer(thrower)
            body()
        }
        thread.pointee.thrower = outer
    }

    /// What a program calls the operator that threw the error; nil where none has. Who takes an error may come to
    /// others, which are not that operator's.
    static func name(of error: any Error) -> String? {
        guard let thrower = crx_thread_get().pointee.thrower?.assumingMemoryBound(to: Thrower.self).pointee,
            Checkpoint.object(of: thrower.error) === Checkpoint.object(of: error)
        else { return nil }
        let name = String(describing: thrower.type).prefix { $0 != "<" }
        return name.prefix(1).lowercased() + name.dropFirst()
    }
}
