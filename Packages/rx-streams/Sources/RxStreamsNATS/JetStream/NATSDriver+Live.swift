import Foundation
import NIOCore
import RxStreams
import RxSwift
import Synchronization

extension NATSDriver {
    func send(_ message: NewMessage) async throws {
        try await client.send([OutgoingMessage(message)])
    }

    func messages(on pattern: String) -> Observable<NewMessage> {
        Observable<NewMessage>.create { [self] observer in
            do {
                try SubjectPattern.check(pattern)
                try OutgoingMessage.checkLength(pattern)
                let subscription = try client.subscribe(to: pattern, isLasting: true) { error in
                    error == .closed ? observer.onCompleted() : observer.onError(error)
                } deliver: {
                    observer.onNext(NewMessage($0))
                }
                // Captures `self`, so a subscribed observer retains the driver.
                return Disposables.create { [self] in client.unsubscribe(subscription) }
            } catch BrokerError.closed {
                observer.onCompleted()
            } catch {
                observer.onError(error)
            }
            return Disposables.create()
        }
        .waiting(on: client.scheduler)
    }
}

/// The bucket of the cells: a stream that retains one message per subject.
final class CellBucket: Sendable {
    let name: String
    var stream: String { "KV_\(name)" }
    private let isThere = Mutex(false)

    init(_ name: String) {
        self.name = name
    }

    func subject(of cell: String) throws -> String {
        let subject = "$KV.\(name).\(cell)"
        guard OutgoingMessage.isSubject(subject) else {
            throw BrokerError.refused("\(cell.debugDescription) is not a valid name of a cell")
        }
        return subject
    }

    func ensure(_ driver: NATSDriver) async throws {
        if isThere.withLock({ $0 }) { return }
        try await driver.makeStream(
            stream,
            wanted: [
                "name": stream, "subjects": ["$KV.\(name).>"], "max_msgs_per_subject": 1, "allow_direct": false,
                "allow_rollup_hdrs": true, "deny_delete": true, "discard": "new",
            ])
        isThere.withLock { $0 = true }
    }

    func isGone() {
        isThere.withLock { $0 = false }
    }
}

extension NATSDriver {
    func load(_ cell: String) async throws -> CellValue? {
        let (value, isMark) = try await stored(cell)
        return isMark ? nil : value
    }

    /// Returns the latest message of a cell. If another program has deleted or purged the cell, the message is a
    /// deletion *mark* with its own revision.
    private func stored(_ cell: String) async throws -> (value: CellValue?, isMark: Bool) {
        let subject = try cellBucket.subject(of: cell)
        try await cellBucket.ensure(self)
        do {
            let found: JetStream.StoredReply = try await ask(
                "STREAM.MSG.GET.\(cellBucket.stream)", JetStream.json(["last_by_subj": subject]),
                missing: "cell \(cell)")
            let message = found.message
            let headers = message.hdrs.flatMap { Data(base64Encoded: $0) }
            let mark = headers?.withUnsafeBytes { NATSHeaders(block: $0)["KV-Operation"] }
            let payload = message.data.flatMap { Data(base64Encoded: $0) }.map(Array.init) ?? []
            return (CellValue(payload, revision: message.seq), mark != nil)
        } catch BrokerError.missing {
            return (nil, false)
        }
    }

    func store(_ payload: [UInt8], in cell: String, expecting revision: UInt64?) async throws -> UInt64 {
        do {
            return try await keep(payload, in: cell, expecting: revision)
        } catch BrokerError.conflict where revision == 0 {
            // The caller expects an empty cell. A deleted cell is empty too, but the server expects the revision of its
            // mark.
            let (mark, isMark) = try await stored(cell)
            guard let mark, isMark else { throw BrokerError.conflict }
            return try await keep(payload, in: cell, expecting: mark.revision)
        }
    }

    /// Stores a value if the cell's latest message, which may be a deletion mark, has this revision.
    private func keep(_ payload: [UInt8], in cell: String, expecting revision: UInt64?) async throws -> UInt64 {
        let subject = try cellBucket.subject(of: cell)
        try await cellBucket.ensure(self)
        var message = NewMessage(subject, payload)
        if let revision { message.headers[JetStreamHeader.expectedRevision] = String(revision) }
        let answer = try await client.request([OutgoingMessage(message)])[0]
        if let published = PublishAnswer(answer.payload), published.position > 0 { return published.position }
        if answer.status == 503 { cellBucket.isGone() }
        do {
            try JetStream.check(answer, missing: "cell \(cell)")
        } catch BrokerError.refused(let why) where why.contains("wrong last sequence") {
            throw BrokerError.conflict
        }
        throw BrokerError.unavailable("the server's answer cannot be read")
    }

    func values(of cell: String) -> Observable<CellValue> {
        Observable<CellValue>.create { [self] observer in
            let task = Task {
                do {
                    try await watch(cell) { try await observer.send($0) }
                } catch BrokerError.closed {
                    observer.onCompleted()
                } catch is CancellationError {
                } catch {
                    observer.onError(error)
                }
            }
            return Disposables.create { task.cancel() }
        }
    }

    /// Runs until the driver is closed, the task is cancelled, or the server refuses a call.
    private func watch(_ cell: String, _ send: (CellValue) async throws -> Void) async throws {
        let subject = try cellBucket.subject(of: cell)
        var reader: StreamReader?
        var last = CellValue?.none
        var patience = Patience()
        while true {
            do {
                if reader == nil {
                    try await cellBucket.ensure(self)
                    reader = try await StreamReader.make(client, cellBucket.stream, start: .last(subject: subject))
                }
                for message in try await reader?.read(upTo: 64, within: .seconds(30)) ?? [] {
                    try Task.checkCancellation()
                    // A new reader starts with the latest value, even if it was sent before. A lower revision is not
                    // skipped, because revisions may restart.
                    let value = CellValue(message.message.payload, revision: message.position.number)
                    if value == last { continue }
                    last = value
                    if message.message.headers["KV-Operation"] == nil { try await send(value) }
                }
                patience = Patience()
            } catch BrokerError.closed {
                throw BrokerError.closed
            } catch BrokerError.refused(let why) {
                throw BrokerError.refused(why)
            } catch let error as CancellationError {
                if let reader { await reader.end() }
                throw error
            } catch {
                if case BrokerError.missing = error { cellBucket.isGone() }
                reader = nil
                try await patience.wait(on: self) {
                    client.logger.warning(
                        "a cell cannot be read: the read is retried until it succeeds",
                        metadata: ["cell": "\(cell)", "why": "\(error)"])
                }
            }
        }
    }
}
