#if Foundation
    public import Foundation
    #if canImport(FoundationNetworking)
        public import FoundationNetworking
    #endif

    /// Reasons to reject a response. Errors of the connection are `URLError`s.
    public enum RxCocoaURLError: Swift.Error {
        /// The session returned neither a response nor an error.
        case unknown

        /// The response is not an HTTP response.
        case nonHTTPResponse(response: URLResponse)

        /// The status of the response is not between 200 and 299.
        case httpRequestFailed(response: HTTPURLResponse, data: Data?)

        /// The body could not be decoded.
        case deserializationError(error: Swift.Error)
    }

    extension RxCocoaURLError: CustomDebugStringConvertible {
        /// The error as a sentence.
        public var debugDescription: String {
            switch self {
            case .unknown: "Unknown error has occurred."
            case .nonHTTPResponse(let response): "Response is not NSHTTPURLResponse `\(response)`."
            case .httpRequestFailed(let response, _): "HTTP request failed with `\(response.statusCode)`."
            case .deserializationError(let error): "Error during deserialization of the response: \(error)"
            }
        }
    }
#endif
