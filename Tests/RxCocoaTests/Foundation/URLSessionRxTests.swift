#if Foundation
    import Foundation
    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif
    import Dispatch
    import RxCocoa
    import TestSupport
    import Testing

    @Suite(.notForever)
    struct URLSessionRxTests {
        private let session = URLSession(configuration: .ephemeral)

        init() {
            URLSession.rx.shouldLogRequest = { _ in false }
        }

        @Test func responseIsSentAndCompletes() throws {
            let server = try LoopbackServer { $0.respond("hello", headers: "X-Kind: greeting\r\n") }
            let log = told(
                session.rx.response(request: server.request()).map { response, data in
                    "\(response.statusCode) \(response.value(forHTTPHeaderField: "X-Kind") ?? "-") \(text(data))"
                })
            #expect(log == "200 greeting hello completed")
        }

        @Test func sendsTheRequestAsItIs() throws {
            let server = try LoopbackServer {
                $0.respond($0.request.contains("X-Name: rx\r\n") ? $0.firstLine : "no header")
            }
            var request = server.request("/a?b=c")
            request.httpMethod = "DELETE"
            request.setValue("rx", forHTTPHeaderField: "X-Name")
            #expect(told(session.rx.data(request: request).map(text)) == "DELETE /a?b=c HTTP/1.1 completed")
        }

        @Test func eachSubscriptionSendsTheRequest() throws {
            let count = Guarded(0)
            let server = try LoopbackServer { connection in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                connection.respond("\(number)")
            }
            let data = session.rx.data(request: server.request()).map(text)
            #expect(count.withLock { $0 } == 0)
            #expect(told(data) == "1 completed")
            #expect(told(data) == "2 completed")
        }

        @Test(arguments: ["403 Forbidden", "404 Not Found", "500 Internal Server Error"])
        func errorStatusIsSentAsResponse(status: String) throws {
            let server = try LoopbackServer { $0.respond("no", status: status) }
            let log = told(session.rx.response(request: server.request()).map { "\($0.statusCode) \(text($1))" })
            #expect(log == "\(status.prefix(3)) no completed")
        }

        @Test(arguments: ["300 Multiple Choices", "403 Forbidden", "404 Not Found", "500 Internal Server Error"])
        func aStatusIsAnErrorOfTheData(status: String) throws {
            let server = try LoopbackServer { $0.respond("no", status: status) }
            let error = try #require(failure(session.rx.data(request: server.request())) as? RxCocoaURLError)
            guard case .httpRequestFailed(let response, let data) = error else {
                return #expect(Bool(false), "\(error)")
            }
            #expect("\(response.statusCode)" == status.prefix(3))
            #expect(data.map(text) == "no")
            #expect(error.debugDescription == "HTTP request failed with `\(status.prefix(3))`.")
        }

        @Test func readsJSON() throws {
            let server = try LoopbackServer { $0.respond(#"{"numbers": [1, 2]}"#) }
            let url = try #require(server.request().url)
            let log = told(session.rx.json(url: url).map { "\(($0 as? [String: [Int]]) ?? [:])" })
            #expect(log == #"["numbers": [1, 2]] completed"#)
        }

        @Test func badJSONIsAnError() throws {
            let server = try LoopbackServer { $0.respond(#"{"numbers": "#) }
            let error = failure(session.rx.json(request: server.request()))
            guard case .deserializationError = error as? RxCocoaURLError else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
        }

        @Test func jsonWithFragmentsAllowedIsParsed() throws {
            let server = try LoopbackServer { $0.respond("17") }
            let json = session.rx.json(request: server.request(), options: [.fragmentsAllowed])
            #expect(told(json.map { "\($0)" }) == "17 completed")
        }

        @Test func chunkedBodyIsReceivedWhole() throws {
            let server = try LoopbackServer { connection in
                connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
                for piece in ["slow", "ly", "."] {
                    connection.write("\(piece.utf8.count)\r\n\(piece)\r\n")
                    usleep(20_000)
                }
                connection.write("0\r\n\r\n")
            }
            #expect(told(session.rx.data(request: server.request()).map(text)) == "slowly. completed")
        }

        @Test func largeBodyIsReceivedWhole() throws {
            let size = 16 << 20
            let server = try LoopbackServer { connection in
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\nConnection: close\r\n\r\n")
                let block = [UInt8](repeating: 7, count: 1 << 16)
                for _ in 0..<size / block.count where !connection.write(block) { return }
            }
            let log = told(
                session.rx.data(request: server.request()).map { "\($0.count) \($0.allSatisfy { $0 == 7 })" })
            #expect(log == "\(size) true completed")
        }

        @Test func truncatedBodyFails() throws {
            let server = try LoopbackServer { $0.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this") }
            let error = failure(session.rx.response(request: server.request()))
            #expect(error is URLError, "\(String(describing: error))")
        }

        @Test func aPortWithoutAServerIsAnError() throws {
            let server = try LoopbackServer { _ in }
            let request = server.request()
            server.stop()
            let error = failure(session.rx.response(request: request))
            #expect(error is URLError, "\(String(describing: error))")
        }

        @Test func aResponseOfAnotherProtocolIsAnError() throws {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [Plain.self]
            let request = URLRequest(url: try #require(URL(string: "plain://anything")))
            let error = failure(URLSession(configuration: configuration).rx.response(request: request))
            guard case .nonHTTPResponse(let response) = error as? RxCocoaURLError else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(response.mimeType == "text/plain")
        }

        @Test func disposeBeforeTheResponseCancels() throws {
            let (arrived, closed) = (Signpost(), Signpost())
            let server = try LoopbackServer { connection in
                arrived.reach()
                if connection.waitUntilClosed() { closed.reach() }
            }
            let log = Log()
            let subscription = session.rx.data(request: server.request()).note(in: log)
            #expect(arrived.isReached())
            subscription.dispose()
            #expect(closed.isReached())
            #expect(log.text.isEmpty)
        }

        @Test func disposeInTheMidstOfTheBodyClosesTheConnection() throws {
            let (begun, closed) = (Signpost(), Signpost())
            let server = try LoopbackServer { connection in
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nthe beginning")
                begun.reach()
                if connection.waitUntilClosed() { closed.reach() }
            }
            let log = Log()
            let subscription = session.rx.data(request: server.request()).note(in: log)
            #expect(begun.isReached())
            subscription.dispose()
            #expect(closed.isReached())
            #expect(log.text.isEmpty)
        }

        @Test func timeoutCancels() throws {
            let closed = Signpost()
            let server = try LoopbackServer { connection in
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
                if connection.waitUntilClosed() { closed.reach() }
            }
            let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "timeout")
            // The request must have been sent before the timeout.
            let error = failure(session.rx.data(request: server.request()).timeout(.seconds(3), scheduler: queue))
            #expect(error is RxError, "\(String(describing: error))")
            #expect(closed.isReached())
        }

        @Test func observerIsFreedAtCompletion() throws {
            let server = try LoopbackServer { $0.respond("hello") }
            let (tracker, ended) = (LifetimeTracker(), Signpost())
            let observer = tracker.make()
            let subscription = session.rx.data(request: server.request())
                .do(onNext: { _ in _ = observer }, onDispose: { ended.reach() })
                .subscribe()
            #expect(ended.isReached())
            subscription.dispose()
            #expect(tracker.live == 1)
        }

        /// The response may arrive from the cache during a cancellation. FoundationNetworking would then crash without
        /// `TaskCancellation`.
        @Test(arguments: [0, 300, 2_000])
        func concurrentRequestsMayBeCancelledAtAnyPoint(microseconds: Int) throws {
            let server = try LoopbackServer(connections: 400) { $0.respond(String(repeating: "x", count: 10_000)) }
            let request = server.request()
            let wrong = Guarded(0)
            try runConcurrently(threads: 4) { thread in
                for turn in 0..<25 {
                    let subscription = session.rx.data(request: request).subscribe(
                        onNext: { data in if data.count != 10_000 { wrong.withLock { $0 += 1 } } },
                        onError: { _ in wrong.withLock { $0 += 1 } })
                    if microseconds > 0 { usleep(UInt32((thread * 300 + turn * 700) % microseconds)) }
                    subscription.dispose()
                }
            }
            #expect(wrong.withLock { $0 } == 0)
            #expect(told(session.rx.data(request: request).map { "\($0.count)" }) == "10000 completed")
        }
    }

    struct RequestLogTests {
        @Test func printsTheRequestAsACommandAndItsOutcome() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let server = try LoopbackServer {
                    $0.respond("", status: $0.request.contains("/good") ? "200 OK" : "404 Not Found")
                }
                var request = server.request("/good?q=\"")
                request.httpMethod = "POST"
                request.httpBody = Data(#"{"a": 1}"#.utf8)
                request.setValue("b", forHTTPHeaderField: "X-B")
                request.setValue("a \"quoted\"", forHTTPHeaderField: "X-A")
                URLSession.rx.shouldLogRequest = { $0.url?.path != "/silent" }
                let session = URLSession(configuration: .ephemeral)
                for request in [request, server.request("/bad"), server.request("/silent")] {
                    _ = told(session.rx.response(request: request).map { _ in "" })
                }
                server.stop()
                _ = told(session.rx.response(request: server.request("/gone")).map { _ in "" })
            }
            let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
                .replacing(#/127\.0\.0\.1:\d+/#, with: "HOST").replacing(#/\(\d+ms\)/#, with: "(0ms)")
            #expect(
                output.contains(
                    """
                    curl -X POST -d "{\\"a\\": 1}"\u{20}
                        -H "X-A: a \\"quoted\\""\u{20}
                        -H "X-B: b"\u{20}
                    "http://HOST/good?q=%22" -i -v
                    Success (0ms): Status 200
                    curl -X GET\u{20}
                    "http://HOST/bad" -i -v
                    Failure (0ms): Status 404
                    curl -X GET\u{20}
                    "http://HOST/gone" -i -v
                    Failure (0ms): NSError >
                    """), "\(output)")
            #expect(!output.contains("/silent"))
        }

        @Test func aStatusFromThreeHundredOnIsAFailure() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let server = try LoopbackServer { $0.respond("", status: "300 Multiple Choices") }
                URLSession.rx.shouldLogRequest = { _ in true }
                let session = URLSession(configuration: .ephemeral)
                _ = told(session.rx.response(request: server.request()).map { _ in "" })
            }
            let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
            #expect(output.contains(#/Failure \(\d+ms\): Status 300/#), "\(output)")
        }

        @Test func cancelledRequestIsLogged() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let (arrived, logged) = (Signpost(), Signpost())
                let server = try LoopbackServer { connection in
                    arrived.reach()
                    if connection.waitUntilClosed() { logged.reach() }
                }
                URLSession.rx.shouldLogRequest = { _ in true }
                let session = URLSession(configuration: .ephemeral)
                let subscription = session.rx.data(request: server.request()).subscribe()
                _ = arrived.isReached()
                subscription.dispose()
                _ = logged.isReached()
                let printed = Signpost()
                session.delegateQueue.addBarrierBlock { printed.reach() }
                _ = printed.isReached()
            }
            let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
            #expect(output.contains(#/Canceled \(\d+ms\)/#), "\(output)")
        }
    }

    private final class Plain: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "plain" }

        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            let url = request.url!
            let response = URLResponse(
                url: url, mimeType: "text/plain", expectedContentLength: 0, textEncodingName: nil)
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: Data())
            client?.urlProtocolDidFinishLoading(self)
        }

        override func stopLoading() {}
    }

    private final class Signpost: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)

        func reach() {
            semaphore.signal()
        }

        func isReached() -> Bool {
            semaphore.wait(timeout: .now() + 10) == .success
        }
    }

    extension LoopbackServer {
        fileprivate func request(_ path: String = "/") -> URLRequest {
            var components = URLComponents()
            (components.scheme, components.host, components.port) = ("http", "127.0.0.1", Int(port))
            let parts = path.split(separator: "?", maxSplits: 1)
            components.path = String(parts[0])
            components.query = parts.count > 1 ? String(parts[1]) : nil
            return URLRequest(url: components.url!, timeoutInterval: 10)
        }
    }

    extension LoopbackServer.Connection {
        fileprivate var firstLine: String { String(request.prefix { $0 != "\r\n" }) }
    }

    private func text(_ data: Data) -> String {
        String(decoding: data, as: UTF8.self)
    }

    /// The events of `source` within ten seconds.
    private func told(_ source: Observable<String>) -> String {
        let (log, ended) = (Log(), Signpost())
        let subscription = source.do(onDispose: { ended.reach() }).note(in: log)
        if !ended.isReached() { log("has not ended") }
        subscription.dispose()
        return log.text
    }

    private func failure<Element>(_ source: Observable<Element>) -> (any Error)? {
        let (error, ended) = (Guarded<(any Error)?>(nil), Signpost())
        let subscription = source.subscribe(
            onError: { seen in error.withLock { $0 = seen } }, onDisposed: { ended.reach() })
        _ = ended.isReached()
        subscription.dispose()
        return error.withLock { $0 }
    }
#endif
