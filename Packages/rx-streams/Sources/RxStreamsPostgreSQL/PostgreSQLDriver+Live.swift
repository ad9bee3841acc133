import Dispatch
public import RxStreams
public import RxSwift

extension PostgreSQLDriver {
    public func send(_ message: NewMessage) async throws {
        try checkOpen()
        try SubjectPattern.checkSubject(message.subject)
        // Sends to this driver's listeners. Other drivers read the message from the database.
        listeners.send(message)
        _ = try await call(
            "send_live($1, $2, $3, $4, $5)",
            [
                .integer(id), .texts([message.subject]), .texts([message.id]),
                .texts([try Headers.column(message.headers)]), .manyBytes([message.payload]),
            ])
        wakeWaiters()
    }

    public func messages(on pattern: String) -> Observable<NewMessage> {
        Observable<NewMessage>.create { [self] observer in
            nonisolated(unsafe) let here = listeners.messages(on: pattern).subscribe(observer)  // thread-safe
            let task = Task { await listen(pattern, observer) }
            return Disposables.create {
                here.dispose()
                task.cancel()
            }
        }
        .waitingForRoom()
    }

    /// Sends the observer the messages that other processes send after the first query.
    private func listen(_ pattern: String, _ observer: AnyObserver<NewMessage>) async {
        guard let pattern = try? SubjectPattern(pattern) else { return }
        var last: Int64?
        var pause = Duration.milliseconds(10)
        while !Task.isCancelled, (try? checkOpen()) != nil {
            let seen = signal.count
            do {
                guard let after = last else {
                    last = try await query("SELECT coalesce(max(number), 0) FROM @.live_messages").integer(0, 0)
                    continue
                }
                let rows = try await liveMessages(after: after)
                for row in 0..<rows.count {
                    last = rows.integer(row, 0)
                    guard rows.integer(row, 6) != id, let stored = StoredMessage(rows, row),
                        pattern.matches(stored.message.subject)
                    else { continue }
                    observer.onNext(stored.message)
                }
                if rows.count > 0 {
                    pause = .milliseconds(10)
                    continue
                }
                // A crash of the server empties the UNLOGGED table, and its numbers start again.
                let newest = try await query("SELECT coalesce(max(number), 0) FROM @.live_messages").integer(0, 0)
                if let newest, newest < after, newest > 0 { last = newest }
            } catch {
                pause = .milliseconds(500)
            }
            await signal.wait(after: seen, atMost: .nanoseconds(pause.nanoseconds), on: scheduler)
            pause = min(pause * 2, notifier.isListening ? .milliseconds(500) : .milliseconds(50))
        }
    }

    /// Returns at most 100 messages and 4 MiB of payload, or one larger message.
    func liveMessages(after number: Int64) async throws -> Rows {
        try await query(
            """
            SELECT number, time, subject, id, headers::text, payload, sender FROM (
                SELECT *, sum(octet_length(payload)) OVER w AS total, row_number() OVER w AS n
                FROM (SELECT * FROM @.live_messages WHERE number > $1 ORDER BY number LIMIT 100) next
                WINDOW w AS (ORDER BY number)
            ) summed WHERE total <= 4194304 OR n = 1 ORDER BY number
            """, [.integer(number)])
    }

    public func load(_ cell: String) async throws -> CellValue? {
        let rows = try await query("SELECT revision, payload FROM @.cells WHERE name = $1", [.text(cell)])
        guard rows.count == 1, let revision = rows.integer(0, 0) else { return nil }
        return CellValue(rows.bytes(0, 1) ?? [], revision: UInt64(revision))
    }

    public func store(_ payload: [UInt8], in cell: String, expecting revision: UInt64?) async throws -> UInt64 {
        let rows = try await call(
            "store_cell($1, $2, $3)",
            [.text(cell), .bytes(payload), .integer(revision.map { Int64(clamping: $0) })])
        wakeWaiters()
        return UInt64(rows.integer(0, 0) ?? 0)
    }

    public func values(of cell: String) -> Observable<CellValue> {
        Observable.create { [self] observer in
            let task = Task {
                var last: UInt64 = 0
                while !Task.isCancelled {
                    let seen = signal.count
                    guard (try? checkOpen()) != nil else { return observer.onCompleted() }
                    var pause = RxTimeInterval.milliseconds(notifier.isListening ? 500 : 50)
                    do {
                        if let value = try await load(cell), value.revision > last {
                            last = value.revision
                            try await observer.send(value)
                        }
                    } catch is CancellationError {
                        return
                    } catch {
                        pause = .milliseconds(500)
                    }
                    await signal.wait(after: seen, atMost: pause, on: scheduler)
                }
            }
            return Disposables.create { task.cancel() }
        }
    }
}
