#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension ObservableType {
    /// Prints the subscription, each event and the disposal, with the time.
    ///
    ///     source:          --1--2--|
    ///     debug("orders"): --1--2--|
    ///
    /// ![All events pass](marble-debug)
    ///
    /// ```text
    /// 2026-01-31 10:15:30.123: orders -> subscribed
    /// 2026-01-31 10:15:30.124: orders -> Event next(1)
    /// 2026-01-31 10:15:30.125: orders -> isDisposed
    /// ```
    ///
    /// The operator prints on the thread that subscribes, delivers or disposes. In a bounded subscription it also
    /// prints `paused` and `resumed`. Events, including errors, pass unchanged. `identifier` is the prefix of each
    /// line, by default `file`, `line` and `function` of the call. `trimOutput` omits the middle of a long event.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// ## See Also
    ///
    /// - <doc:Debugging>
    /// - [do on reactivex.io](https://reactivex.io/documentation/operators/do.html)
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Observable<Element> {
        let place = file.lastIndex(of: "/").map { file[file.index(after: $0)...] } ?? file[...]
        return DebugProducer(asObservable(), DebugPrinter(identifier ?? "\(place):\(line) (\(function))", trimOutput))
    }
}

/// The source has its own chain, so that `debug` prints a disposal before the source is disposed of. Several `debug`
/// operators in a chain then print in order, the most downstream first.
private final class DebugProducer<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    let source: Observable<Element>
    let printer: DebugPrinter

    init(_ source: Observable<Element>, _ printer: DebugPrinter) {
        self.source = source
        self.printer = printer
        super.init { base, context in
            let me = unsafeDowncast(base, to: DebugProducer<Element>.self)
            me.printer("subscribed")
            let lifetime = ChainLifetime()
            context.feed(fromListening: UpperChain(lifetime, reporting: { [printer = me.printer] in printer("\($0)") }))
            let sink = DebugSink(context.takeTop(for: Element.self), lifetime, me.printer)
            me.source.subscribe(last: sink, lifetime, scope: context.scope)
            return nil
        }
    }
}

private final class DebugSink<Element>: TerminalObserver<Element> {
    let down: Sink<Element>
    let printer: DebugPrinter

    init(_ down: Sink<Element>, _ lifetime: ChainLifetime, _ printer: DebugPrinter) {
        self.down = down
        self.printer = printer
        super.init(
            lifetime,
            push: { base, element in
                let me = unsafeDowncast(base, to: DebugSink<Element>.self)
                guard me.isLive else { return }
                me.printer.printEvent(Event.next(element))
                me.down.push(me.down, element)
            })
    }

    deinit {
        down.sourceIsGone()
    }

    override func deliverEnd(_ error: (any Error)?) {
        printer.printEvent(Event<Element>(end: error))
        down.end(error)
    }
}

private struct DebugPrinter {
    let identifier: String
    let isTrimming: Bool

    init(_ identifier: String, _ isTrimming: Bool) {
        self.identifier = identifier
        self.isTrimming = isTrimming
    }

    func callAsFunction(_ text: String) {
        print("\(Self.timestamp): \(identifier) -> \(text)")
    }

    func printEvent(_ event: Any) {
        let text = "\(event)"
        let isLong = isTrimming && text.count > 40
        self("Event \(isLong ? "\(text.prefix(20))...\(text.suffix(20))" : text)")
    }

    private static var timestamp: String {
        var clock = timespec()
        clock_gettime(CLOCK_REALTIME, &clock)
        var time = tm()
        localtime_r(&clock.tv_sec, &time)
        let date = [padded(time.tm_year + 1900, 4), padded(time.tm_mon + 1, 2), padded(time.tm_mday, 2)].joined(
            separator: "-")
        let seconds = [padded(time.tm_hour, 2), padded(time.tm_min, 2), padded(time.tm_sec, 2)].joined(separator: ":")
        return "\(date) \(seconds).\(padded(Int32(clock.tv_nsec / 1_000_000), 3))"
    }

    private static func padded(_ number: Int32, _ digits: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
