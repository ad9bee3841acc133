internal import CRxCore

/// An operator, and an error that is on its way down the calling thread, its own or one that it hands on: for who finds
/// that nobody takes it.
@usableFromInline
struct Thrower {
    private let name: OperatorName
    private let error: any Error
    private let outer: UnsafeRawPointer?

    /// Runs `body`, which hands on an error of the operator's.
    @usableFromInline
    static func named(_ type: Any.Type, _ error: any Error, _ body: () -> Void) {
        named(.of(type, port: nil), error, body)
    }

    /// Runs `body`, which hands on an error.
    static func named(_ name: OperatorName, _ error: any Error, _ body: () -> Void) {
        let thread = crx_thread_get()
        let outer = thread.pointee.thrower
        withUnsafePointer(to: Thrower(name: name, error: error, outer: outer.map { UnsafeRawPointer($0) })) { thrower in
            thread.pointee.thrower = UnsafeRawPointer(thrower)
            body()
        }
        thread.pointee.thrower = outer
    }

    /// What a program calls the operators that have said that the error comes by them, the last one first. Who takes an
    /// error may come to others, which are not those operators'.
    static func names(of error: any Error) -> [String] {
        var names: [String] = []
        var next = crx_thread_get().pointee.thrower.map { UnsafeRawPointer($0) }
        while let thrower = next?.assumingMemoryBound(to: Thrower.self).pointee {
            next = thrower.outer
            let isOfIt = Checkpoint.object(of: thrower.error) === Checkpoint.object(of: error)
            if isOfIt, let name = thrower.name.text { names.append(name) }
        }
        return names
    }
}
