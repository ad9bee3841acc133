#if Foundation
    public import Foundation
    #if canImport(FoundationNetworking)
        public import FoundationNetworking
    #endif
    import RxSwift

    extension Reactive where Base: URLSession {
        /// Whether a request is printed to standard output once it has ended, as a `curl` command with its outcome. In
        /// a debug build of the library all are, as in RxSwift; in a release build none. A program that wants none at
        /// all sets, where it starts:
        ///
        ///     URLSession.rx.shouldLogRequest = { _ in false }
        ///
        /// Any thread may set it; it is called on the session's queue, with no lock held.
        @preconcurrency
        public static var shouldLogRequest: @Sendable (URLRequest) -> Bool {
            get { RequestLog.isWanted.withLock { $0 } }
            set {
                var replaced = newValue
                RequestLog.isWanted.withLock { swap(&$0, &replaced) }
            }
        }

        /// The response to `request`, whatever its status, and its whole body; then completion. A debug build prints
        /// the request: ``shouldLogRequest`` says how to switch that off.
        ///
        /// Each subscription sends the request. Disposing of it cancels the task, also in the midst of the body, and so
        /// closes the connection; it does not wait for that. Everything arrives on the session's delegate queue.
        ///
        /// Errors: the `URLError` that the session gives; ``RxCocoaURLError/nonHTTPResponse(response:)``;
        /// ``RxCocoaURLError/unknown`` where the session gives neither response nor error.
        public func response(request: URLRequest) -> Observable<(response: HTTPURLResponse, data: Data)> {
            Observable.create { [session = base] observer in
                let (log, cancellation) = (RequestLog(request), TaskCancellation())
                let task = session.dataTask(with: request) { data, response, error in
                    cancellation.taskHasEnded()
                    log.end(response, error)
                    guard let response, let data, error == nil else {
                        return observer.onError(error ?? RxCocoaURLError.unknown)
                    }
                    guard let response = response as? HTTPURLResponse else {
                        return observer.onError(RxCocoaURLError.nonHTTPResponse(response: response))
                    }
                    observer.onNext((response, data))
                    observer.onCompleted()
                }
                task.resume()
                return Disposables.create { cancellation.cancel(task) }
            }
        }

        /// The body of the response to `request`; then completion.
        ///
        /// Errors: those of ``response(request:)``, and ``RxCocoaURLError/httpRequestFailed(response:data:)`` for a
        /// status outside of 200 to 299.
        public func data(request: URLRequest) -> Observable<Data> {
            response(request: request).map { response, data in
                guard 200..<300 ~= response.statusCode else {
                    throw RxCocoaURLError.httpRequestFailed(response: response, data: data)
                }
                return data
            }
        }

        /// The body of the response to `request`, read as JSON; then completion.
        ///
        /// Errors: those of ``data(request:)``, and ``RxCocoaURLError/deserializationError(error:)`` for what is not
        /// JSON. For types that are `Decodable` there is `data(request:).decode(type:decoder:)`.
        ///
        /// - Parameters:
        ///   - request: what is sent.
        ///   - options: how the JSON is read.
        public func json(request: URLRequest, options: JSONSerialization.ReadingOptions = []) -> Observable<Any> {
            data(request: request).map { data in
                do {
                    return try JSONSerialization.jsonObject(with: data, options: options)
                } catch {
                    throw RxCocoaURLError.deserializationError(error: error)
                }
            }
        }

        /// The body of the response to a GET of `url`, read as JSON; then completion. See ``json(request:options:)``.
        public func json(url: URL) -> Observable<Any> {
            json(request: URLRequest(url: url))
        }
    }
#endif
