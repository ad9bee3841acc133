#if Foundation
    import Dispatch
    import Foundation
    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif
    import RxCocoa
    import RxSwift
    import TestSupport

    extension Table {
        static let foundationRows: [Row] = notificationRows + requestRows + handleRows

        /// A source posts notifications to a centre. The centre's sequence does not end.
        private static let notificationRows: [Row] = [
            Row("NotificationCenter.rx.notification(_:object:)", "", [.shared, .endless, .survives]) { rig in
                let (center, name, source) = (NotificationCenter(), Notification.Name("contract"), rig.a)
                return Row.Form(center.rx.notification(name)) {
                    source.subscribe(onNext: { center.post(name: name, object: $0) }, onError: { _ in })
                }
            },
            Row("NotificationCenter.rx.notification(_:object:)", "of a sender", [.shared, .endless, .survives]) { rig in
                let (center, name, source) = (NotificationCenter(), Notification.Name("contract"), rig.a)
                nonisolated(unsafe) let sender = NSObject()
                return Row.Form(center.rx.notification(name, object: sender)) {
                    source.subscribe(
                        onNext: { center.post(name: name, object: sender, userInfo: ["element": $0]) },
                        onError: { _ in })
                }
            },
        ]

        /// Requests, each answered by ``Answer``, a `URLProtocol` of this suite.
        ///
        /// A session calls back on its own queue, and releases a request at an unspecified time. So the laws about
        /// threads, disposal and release cannot be checked. `URLSessionRxTests` tests cancellation and release.
        private static let requestRows: [Row] = [
            Row("URLSession.rx.response(request:)", "") { _ in
                Row.Form(awaiting: { $0.rx.response(request: URLRequest(url: Answer.url)).map { $0.data } })
            },
            Row("URLSession.rx.data(request:)", "") { _ in
                Row.Form(awaiting: { $0.rx.data(request: URLRequest(url: Answer.url)) })
            },
            Row("URLSession.rx.json(request:options:)", "") { _ in
                Row.Form(awaiting: { $0.rx.json(request: URLRequest(url: Answer.url)) })
            },
            Row("URLSession.rx.json(url:)", "") { _ in
                Row.Form(awaiting: { $0.rx.json(url: Answer.url) })
            },
        ]

        private static let handleRows: [Row] = [
            Row("static lines(of:following:)", "of a handle") { _ in
                Row.Form(lines: "a\nb\n") { .lines(of: FileHandle(fileDescriptor: $0, closeOnDealloc: false)) }
            }
        ]
    }

    extension Row.Form {
        fileprivate init<Output>(awaiting request: @escaping (URLSession) -> Observable<Output>) {
            subscribe = { probe in
                URLSession.rx.shouldLogRequest = { _ in false }
                let configuration = URLSessionConfiguration.ephemeral
                configuration.protocolClasses = [Answer.self]
                let session = URLSession(configuration: configuration)
                defer { session.finishTasksAndInvalidate() }
                let ended = DispatchSemaphore(value: 0)
                let subscription = request(session).subscribe { event in
                    probe.on(event)
                    if event.isStopEvent { ended.signal() }
                }
                _ = ended.wait(timeout: .now() + 10)
                return subscription
            }
        }
    }

    private final class Answer: URLProtocol {
        static let url = URL(string: "contract://anything")!

        override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "contract" }

        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            let response = HTTPURLResponse(url: Self.url, statusCode: 200, httpVersion: nil, headerFields: nil)!
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: Data("[]".utf8))
            client?.urlProtocolDidFinishLoading(self)
        }

        override func stopLoading() {}
    }
#else
    extension Table {
        static let foundationRows: [Row] = []
    }
#endif
