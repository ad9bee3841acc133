#if Foundation
    internal import Dispatch
    import Foundation
    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif
    import RxSwift

    struct RequestLog {
        static let isWanted = Locked<@Sendable (URLRequest) -> Bool> { _ in
            #if DEBUG
                true
            #else
                false
            #endif
        }

        private let request: URLRequest
        private let start = DispatchTime.now()

        init(_ request: URLRequest) {
            self.request = request
        }

        func end(_ response: URLResponse?, _ error: (any Error)?) {
            guard URLSession.rx.shouldLogRequest(request) else { return }
            let milliseconds = (DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1_000_000
            print(Self.command(request))
            print(Self.outcome(response, error, milliseconds))
        }

        static func command(_ request: URLRequest) -> String {
            var command = "curl -X \(request.httpMethod ?? "GET") "
            if let body = request.httpBody.flatMap({ String(data: $0, encoding: .utf8) }) {
                command += "-d \"\(escaped(body))\" "
            }
            for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
                command += "\n    -H \"\(escaped(name)): \(escaped(value))\" "
            }
            command += "\n\"\(escaped(request.url?.absoluteString ?? "<unknown url>"))\""
            return command + " -i -v"
        }

        static func outcome(_ response: URLResponse?, _ error: (any Error)?, _ milliseconds: UInt64) -> String {
            if let status = (response as? HTTPURLResponse)?.statusCode {
                return "\(200..<300 ~= status ? "Success" : "Failure") (\(milliseconds)ms): Status \(status)"
            }
            guard let error = error as NSError? else { return "<Unhandled response from server>" }
            if error.domain == NSURLErrorDomain, error.code == NSURLErrorCancelled {
                return "Canceled (\(milliseconds)ms)"
            }
            return "Failure (\(milliseconds)ms): NSError > \(error)"
        }

        private static func escaped(_ text: String) -> String {
            text.replacingOccurrences(of: "\"", with: "\\\"")
        }
    }
#endif
