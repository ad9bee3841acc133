import Dispatch
import RxCocoa

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// The article "Sources of your own" contains this example. A test finds it by the next line and compares the two.
// example
/// A POSIX signal to this process, such as SIGTERM.
final class POSIXSignal: ControlTarget {
    let lifetime = ControlLifetime()
    private let number: Int32
    private let queue = DispatchQueue(label: "signal")

    init(_ number: Int32) {
        self.number = number
        // Disables the default action, which for most signals ends the process.
        signal(number, SIG_IGN)
    }

    func listen(_ send: @escaping @Sendable (Int32) -> Void) -> any Disposable {
        nonisolated(unsafe) let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { [number] in send(number) }
        source.activate()
        return Disposables.create { source.cancel() }
    }
}
// end of the example
