public import Logging
@_spi(RxServer) public import RxSwift

extension ObservableType {
    /// Logs the subscription, each event, and the disposal.
    ///
    /// ```swift
    /// orders.logged(logger, as: "orders", level: .debug, metadata: ["tenant": "\(tenant)"])
    /// ```
    ///
    /// The messages are `subscribed`, `next`, `failed`, `completed`, and `disposed` for a disposal before the end. The
    /// metadata contains the name as `rx.sequence`, and the element as `rx.element`. The log handler receives the error
    /// itself.
    ///
    /// Messages are logged on the thread that subscribes, delivers or disposes, before the event is forwarded, without
    /// a lock. After a call of ``RxSwift/Hooks/carryServiceContext()``, a metadata provider finds the context of the
    /// subscription. While `level` is disabled, an element costs only a check of the level.
    ///
    /// - Parameters:
    ///   - logger: the logger of the messages.
    ///   - name: the sequence's name; omitted if nil.
    ///   - level: the level of all messages except errors.
    ///   - errorLevel: the level of an error.
    ///   - metadata: further metadata, evaluated for each message.
    ///   - text: the text of an element; by default its description. Omit private data here.
    ///   - file: the call's file.
    ///   - function: the call's function.
    ///   - line: the call's line.
    @preconcurrency
    public func logged(
        _ logger: Logger, as name: String? = nil, level: Logger.Level = .debug,
        errors errorLevel: Logger.Level = .error,
        metadata: @escaping @autoclosure () -> Logger.Metadata = [:],
        describing text: @escaping @Sendable (Element) -> String = { "\($0)" },
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) -> Observable<Element> {
        asObservable().logged(
            .observable,
            SequenceLog(logger, name, level, errorLevel, metadata, Place(file: file, function: function, line: line)),
            text)
    }
}

extension InfallibleType {
    /// See ``RxSwift/ObservableType/logged(_:as:level:errors:metadata:describing:file:function:line:)``.
    @preconcurrency
    public func logged(
        _ logger: Logger, as name: String? = nil, level: Logger.Level = .debug,
        metadata: @escaping @autoclosure () -> Logger.Metadata = [:],
        describing text: @escaping @Sendable (Element) -> String = { "\($0)" },
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) -> Infallible<Element> {
        asObservable().logged(
            .infallible,
            SequenceLog(logger, name, level, .error, metadata, Place(file: file, function: function, line: line)), text
        ).asInfallibleAgain()
    }
}

extension PrimitiveSequence {
    /// See ``RxSwift/ObservableType/logged(_:as:level:errors:metadata:describing:file:function:line:)``. An element is
    /// also the end, so it is logged as `next` and then as `completed`.
    @preconcurrency
    public func logged(
        _ logger: Logger, as name: String? = nil, level: Logger.Level = .debug,
        errors errorLevel: Logger.Level = .error,
        metadata: @escaping @autoclosure () -> Logger.Metadata = [:],
        describing text: @escaping @Sendable (Element) -> String = { "\($0)" },
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) -> PrimitiveSequence<Trait, Element> {
        .trusting(
            asObservable().logged(
                SequenceKind(Trait.self),
                SequenceLog(
                    logger, name, level, errorLevel, metadata, Place(file: file, function: function, line: line)),
                text))
    }
}

extension Observable {
    fileprivate func logged<Text>(
        _ kind: SequenceKind, _ log: SequenceLog, _ text: @escaping (Element) -> Text
    ) -> Observable<Element> {
        watched(kind) { source in
            log.say("subscribed")
            return (LogProbe(log: log, text: text), source)
        }
    }
}

struct Place {
    let file: String
    let function: String
    let line: UInt
}

/// Shared by all subscriptions of a sequence. Immutable.
private final class SequenceLog {
    private let logger: Logger
    private let name: String?
    let level: Logger.Level
    private let errorLevel: Logger.Level
    private let metadata: () -> Logger.Metadata
    private let place: Place

    init(
        _ logger: Logger, _ name: String?, _ level: Logger.Level, _ errorLevel: Logger.Level,
        _ metadata: @escaping () -> Logger.Metadata, _ place: Place
    ) {
        self.logger = logger
        self.name = name
        self.level = level
        self.errorLevel = errorLevel
        self.metadata = metadata
        self.place = place
    }

    func say(_ message: Logger.Message) {
        logger.log(
            level: level, message, metadata: all(), file: place.file, function: place.function, line: place.line)
    }

    func say(element: @autoclosure () -> String) {
        logger.log(
            level: level, "next", metadata: all(["rx.element": "\(element())"]), file: place.file,
            function: place.function, line: place.line)
    }

    func say(_ error: any Error) {
        logger.log(
            level: errorLevel, "failed", error: error, metadata: all(), source: nil, file: place.file,
            function: place.function, line: place.line)
    }

    private func all(_ own: Logger.Metadata = [:]) -> Logger.Metadata {
        var all = metadata()
        if let name { all["rx.sequence"] = "\(name)" }
        all.merge(own) { _, own in own }
        return all
    }
}

// @unchecked Sendable because it is immutable, and one thread at a time calls its closure.
private struct LogProbe<Element, Text>: SubscriptionProbe, @unchecked Sendable {
    let log: SequenceLog
    let text: (Element) -> Text

    func next(_ element: Element) {
        log.say(element: "\(text(element))")
    }

    func end(_ end: SubscriptionEnd) {
        switch end {
        case .completed: log.say("completed")
        case .failed(let error): log.say(error)
        case .cancelled: log.say("disposed")
        }
    }
}
