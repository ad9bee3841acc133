internal import CRxCore

/// An operator that is sending an error downstream. Each thread has a stack of these entries. The report of an
/// unhandled error lists them.
@usableFromInline
struct ErrorTrace {
    private let name: OperatorName
    private let error: any Error
    private let outer: UnsafeRawPointer?

    @usableFromInline
    static func named(_ type: Any.Type, _ error: any Error, _ body: () -> Void) {
        named(.of(type, handler: nil), error, body)
    }

    static func named(_ name: OperatorName, _ error: any Error, _ body: () -> Void) {
        let thread = crx_thread_get()
        let outer = thread.pointee.errorTrace
        withUnsafePointer(to: ErrorTrace(name: name, error: error, outer: outer.map { UnsafeRawPointer($0) })) {
            errorTrace in
            thread.pointee.errorTrace = UnsafeRawPointer(errorTrace)
            body()
        }
        thread.pointee.errorTrace = outer
    }

    /// The operators that `error` has passed through on this thread, the most recent first.
    static func names(of error: any Error) -> [String] {
        var names: [String] = []
        var next = crx_thread_get().pointee.errorTrace.map { UnsafeRawPointer($0) }
        while let errorTrace = next?.assumingMemoryBound(to: ErrorTrace.self).pointee {
            next = errorTrace.outer
            let isOfIt = Checkpoint.object(of: errorTrace.error) === Checkpoint.object(of: error)
            if isOfIt, let name = errorTrace.name.text { names.append(name) }
        }
        return names
    }
}
