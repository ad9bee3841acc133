#if Foundation
    public import Foundation
    #if canImport(FoundationNetworking)
        public import FoundationNetworking
    #endif
    import RxSwift

    extension Reactive where Base: URLSession {
        /// Whether an ended request is printed to standard output, as a `curl` command with its outcome. By default, as
        /// in RxSwift, a debug build of the library prints all requests, and a release build prints none. To print
        /// none:
        ///
        ///     URLSession.rx.shouldLogRequest = { _ in false }
        ///
        /// Any thread may set the closure. It is called on the session's queue, with no lock held.
        @preconcurrency
        public static var shouldLogRequest: @Sendable (URLRequest) -> Bool {
            get { RequestLog.isWanted.withLock { $0 } }
            set {
                var replaced = newValue
                RequestLog.isWanted.withLock { swap(&$0, &replaced) }
            }
        }

        /// Sends the response to `request` with its whole body, for any status, and completes. To print
        /// requests, see ``shouldLogRequest``.
        ///
        /// Each subscription sends the request. Disposal cancels the task, without waiting for the connection to close.
        /// Events are delivered on the session's delegate queue.
        ///
        /// Errors: the session's `URLError`; ``RxCocoaURLError/nonHTTPResponse(response:)``;
        /// ``RxCocoaURLError/unknown`` if the session returns neither response nor error.
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

        /// Sends the body of the response to `request`, and completes.
        ///
        /// Errors: those of ``response(request:)``, and ``RxCocoaURLError/httpRequestFailed(response:data:)`` for a
        /// status outside 200 to 299.
        public func data(request: URLRequest) -> Observable<Data> {
            response(request: request).map { response, data in
                guard 200..<300 ~= response.statusCode else {
                    throw RxCocoaURLError.httpRequestFailed(response: response, data: data)
                }
                return data
            }
        }

        /// Sends the body of the response to `request`, decoded from JSON, and completes.
        ///
        /// Errors: those of ``data(request:)``, and ``RxCocoaURLError/deserializationError(error:)`` if the body is not
        /// JSON. For `Decodable` types, use `data(request:).decode(type:decoder:)`.
        ///
        /// - Parameters:
        ///   - request: the request.
        ///   - options: the options for reading JSON.
        public func json(request: URLRequest, options: JSONSerialization.ReadingOptions = []) -> Observable<Any> {
            data(request: request).map { data in
                do {
                    return try JSONSerialization.jsonObject(with: data, options: options)
                } catch {
                    throw RxCocoaURLError.deserializationError(error: error)
                }
            }
        }

        /// Sends the body of the response to a GET of `url`, decoded from JSON, and completes. See
        /// ``json(request:options:)``.
        public func json(url: URL) -> Observable<Any> {
            json(request: URLRequest(url: url))
        }
    }
#endif
