import CPostgreSQL
import Dispatch
import Foundation
import RxStreams
import Synchronization

/// One connection to a server. It runs one statement at a time; further statements wait.
///
/// The socket is non-blocking, so no call of libpq blocks.
///
/// Guards: all code that uses the mutable members runs on `queue`. `onNotify` and `onBreak` are constant.
// @unchecked Sendable because of the guard.
final class Link: @unchecked Sendable {
    private struct Job {
        let finish: @Sendable (Result<Rows, any Error>) -> Void
        /// The latest result. libpq returns one for each statement of a script.
        var result: Result<Rows, any Error>?
    }

    private struct Waiting {
        let number: UInt64
        let begin: () -> Void
        let finish: @Sendable (Result<Rows, any Error>) -> Void
    }

    private let queue: DispatchQueue
    /// libpq's connection; freed on `queue` when the sources `reading` and `writing` have been cancelled.
    private let connection: OpaquePointer
    private let socket: Int32
    private let reading: any DispatchSourceRead
    private let writing: any DispatchSourceWrite
    private var isWriting = false
    private var job: Job?
    private var waiting: [Waiting] = []
    /// The number of the statement in progress.
    private var number: UInt64 = 0
    private let numbers = Atomic<UInt64>(0)
    /// The statement's deadline. The `span` is the timeout from which `time` was computed.
    private var deadline: (time: ContinuousClock.Instant, span: Duration)?
    /// The time of the earliest pending alarm. One alarm serves many statements.
    private var alarm: ContinuousClock.Instant?
    /// Whether the connection works and no transaction is open.
    private let isClean = Atomic<Bool>(true)
    /// Why the connection has ended; nil while it works.
    private var failure: BrokerError?
    private let onNotify: @Sendable () -> Void
    private let onBreak: @Sendable (Link) -> Void

    /// The server's version, such as 150004.
    let version: Int
    let processID: Int32

    /// This object closes `connection`. `onBreak` is called once if the connection ends without a call of `close()`.
    init(
        _ connection: OpaquePointer, onNotify: @escaping @Sendable () -> Void,
        onBreak: @escaping @Sendable (Link) -> Void
    ) {
        self.connection = connection
        self.onNotify = onNotify
        self.onBreak = onBreak
        queue = DispatchQueue(label: "RxStreamsPostgreSQL.Link")
        version = Int(PQserverVersion(connection))
        processID = PQbackendPID(connection)
        PQsetnonblocking(connection, 1)
        // Drops notices, which would go to standard error.
        PQsetNoticeReceiver(connection, { _, _ in }, nil)
        // libpq closes its descriptor as soon as the connection is lost. If this link's sources watched that
        // descriptor, a new connection that got the same one would receive no events. So the sources watch a duplicate.
        let duplicate = fcntl(PQsocket(connection), F_DUPFD_CLOEXEC, 0)
        socket = duplicate >= 0 ? duplicate : PQsocket(connection)
        reading = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
        writing = DispatchSource.makeWriteSource(fileDescriptor: socket, queue: queue)
        let handle = Handle(connection, duplicate)
        let sources = DispatchGroup()
        for source in [reading, writing] as [any DispatchSourceProtocol] {
            sources.enter()
            source.setCancelHandler { sources.leave() }
        }
        // The descriptor must not be closed before the sources are cancelled.
        sources.notify(queue: queue) { handle.close() }
        reading.setEventHandler { [weak self] in self?.read() }
        writing.setEventHandler { [weak self] in self?.flush() }
        reading.resume()
    }

    deinit {
        // A suspended source never runs its cancel handler.
        if !isWriting { writing.resume() }
        reading.cancel()
        writing.cancel()
    }

    /// A connection to be closed on another thread.
    // @unchecked Sendable because only the cancel handlers of the sources use it, once.
    private final class Handle: @unchecked Sendable {
        private let connection: OpaquePointer
        /// The duplicate descriptor; negative if the sources watch libpq's own.
        private let duplicate: Int32

        init(_ connection: OpaquePointer, _ duplicate: Int32) {
            self.connection = connection
            self.duplicate = duplicate
        }

        func close() {
            PQfinish(connection)
            if duplicate >= 0 { closeDescriptor(duplicate) }
        }
    }

    /// Runs a statement and returns its rows, in PostgreSQL's binary format.
    ///
    /// If the task is cancelled, the call may continue for one second. A statement that is still queued by then is not
    /// sent, and the connection stays open. If the statement has been sent and the server has not answered by then, the
    /// connection is closed.
    ///
    /// - Parameters:
    ///   - timeout: the time for the server's answer. After it, the connection is closed.
    ///   - isText: whether the rows are in text format.
    /// - Throws: ``ServerError`` for an error of the statement; `BrokerError.unavailable(_:)` if the connection ends;
    ///   `CancellationError` if the statement has not been sent.
    func run(_ sql: String, _ values: [Value] = [], within timeout: Duration, isText: Bool = false) async throws -> Rows
    {
        try await job(sql, values, isText: isText, timeout)
    }

    private func job(_ sql: String, _ values: [Value]?, isText: Bool, _ timeout: Duration) async throws -> Rows {
        let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [self] in
                    begin(number, sql, values, isText: isText, timeout) { continuation.resume(with: $0) }
                }
            }
        } onCancel: { [weak self] in
            self?.limitCancelled(number)
        }
    }

    private func limitCancelled(_ number: UInt64) {
        queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            guard let self else { return }
            if let index = waiting.firstIndex(where: { $0.number == number }) {
                waiting.remove(at: index).finish(.failure(CancellationError()))
            } else if self.number == number, job != nil {
                end(.unavailable("the call has been cancelled"), isExpected: false)
            }
        }
    }

    func script(_ sql: String, within timeout: Duration) async throws {
        _ = try await job(sql, nil, isText: true, timeout)
    }

    func close() {
        queue.async { [self] in end(.closed, isExpected: true) }
    }

    /// Whether no transaction is open. Only valid while no statement is in progress.
    var isIdle: Bool { isClean.load(ordering: .acquiring) }

    // MARK: On the queue

    private func begin(
        _ number: UInt64, _ sql: String, _ values: [Value]?, isText: Bool, _ timeout: Duration,
        _ finish: @escaping @Sendable (Result<Rows, any Error>) -> Void
    ) {
        if let failure { return finish(.failure(failure)) }
        guard job == nil else {
            return waiting.append(
                Waiting(
                    number: number, begin: { [self] in begin(number, sql, values, isText: isText, timeout, finish) },
                    finish: finish))
        }
        guard !sql.utf8.contains(0), values?.contains(where: \.hasNUL) != true else {
            finish(.failure(BrokerError.refused("PostgreSQL stores no text with a NUL")))
            return next()
        }
        self.number = number
        job = Job(finish: finish)
        let isSent = values.map { send(sql, $0, isText: isText) } ?? (PQsendQuery(connection, sql) == 1)
        guard isSent else { return end(.unavailable(why), isExpected: false) }
        flush()
        guard job != nil else { return }
        deadline = (.now + timeout, timeout)
        setAlarm()
    }

    private func setAlarm() {
        guard let time = deadline?.time, alarm.map({ time < $0 }) ?? true else { return }
        alarm = time
        queue.asyncAfter(deadline: .now() + .nanoseconds(ContinuousClock.now.duration(to: time).nanoseconds)) {
            [weak self] in self?.ring(time)
        }
    }

    private func ring(_ time: ContinuousClock.Instant) {
        if alarm == time { alarm = nil }
        guard job != nil, let deadline else { return }
        if deadline.time > .now { return setAlarm() }
        end(.unavailable("the server did not answer within \(deadline.span)"), isExpected: false)
    }

    private func send(_ sql: String, _ values: [Value], isText: Bool) -> Bool {
        var (bytes, offsets, lengths) = ([UInt8](), [Int?](), [Int32]())
        for value in values {
            let offset = bytes.count
            offsets.append(value.encode(into: &bytes) ? offset : nil)
            lengths.append(Int32(clamping: bytes.count - offset))
        }
        // The address of an empty array may be nil, which would mean NULL.
        bytes.append(0)
        return bytes.withUnsafeBytes { buffer in
            let texts = offsets.map {
                $0.flatMap { buffer.baseAddress?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
            }
            return PQsendQueryParams(
                connection, sql, Int32(values.count), values.map(\.type), texts, lengths,
                values.map { $0.isBinary ? 1 : 0 }, isText ? 0 : 1) == 1
        }
    }

    private var why: String { String(cString: PQerrorMessage(connection)).firstLine }

    private func flush() {
        switch PQflush(connection) {
        case 0: writes(false)
        case 1: writes(true)
        default:
            // The server may have sent a reason before it closed the connection.
            read()
            end(.unavailable(why), isExpected: false)
        }
    }

    private func writes(_ wanted: Bool) {
        guard wanted != isWriting, failure == nil else { return }
        isWriting = wanted
        if wanted { writing.resume() } else { writing.suspend() }
    }

    /// After a reset, reads up to the end of the connection, because libdispatch then reports no more events.
    private func read() {
        guard failure == nil else { return }
        repeat { receive() } while failure == nil && isReset
        if isWriting, failure == nil { flush() }
    }

    private var isReset: Bool {
        var state = pollfd(fd: socket, events: 0, revents: 0)
        return poll(&state, 1, 0) > 0
    }

    private func receive() {
        let isAlive = PQconsumeInput(connection) == 1
        while job != nil, PQisBusy(connection) == 0 {
            guard let result = PQgetResult(connection) else {
                finish()
                break
            }
            take(result)
        }
        var isNotified = false
        while let notification = PQnotifies(connection) {
            PQfreemem(notification)
            isNotified = true
        }
        if isNotified { onNotify() }
        if !isAlive || PQstatus(connection) == CONNECTION_BAD { end(.unavailable(why), isExpected: false) }
    }

    private func take(_ result: OpaquePointer) {
        // Keeps the first error. A later one only reports the end of the connection.
        if case .failure = job?.result { return PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            job?.result = .success(Rows(result))
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            PQclear(result)
            end(.refused("COPY is not supported here"), isExpected: false)
        default:
            // libpq itself reports a lost connection as a result without an SQLSTATE.
            let error = ServerError(result)
            job?.result = .failure(error.state.isEmpty ? BrokerError.unavailable(error.message) : error)
            PQclear(result)
        }
    }

    private func finish() {
        guard let job else { return }
        self.job = nil
        isClean.store(
            PQstatus(connection) == CONNECTION_OK && PQtransactionStatus(connection) == PQTRANS_IDLE,
            ordering: .releasing)
        job.finish(job.result ?? .failure(BrokerError.unavailable(why)))
        next()
    }

    private func next() {
        if job == nil, !waiting.isEmpty { waiting.removeFirst().begin() }
    }

    private func end(_ error: BrokerError, isExpected: Bool) {
        guard failure == nil else { return }
        writes(true)
        failure = error
        isClean.store(false, ordering: .releasing)
        reading.cancel()
        writing.cancel()
        let job = job
        self.job = nil
        if case .failure(let earlier)? = job?.result {
            job?.finish(.failure(earlier))
        } else {
            job?.finish(.failure(error))
        }
        let waiting = waiting
        self.waiting = []
        for statement in waiting { statement.begin() }
        if !isExpected { onBreak(self) }
    }
}

private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

extension Value {
    fileprivate var hasNUL: Bool {
        switch self {
        case .text(let text): text.utf8.contains(0)
        case .texts(let texts): texts.contains { $0?.utf8.contains(0) ?? false }
        default: false
        }
    }
}
