#if Foundation
    public import Foundation
    #if canImport(FoundationNetworking)
        public import FoundationNetworking
    #endif

    /// What may be wrong with a response. Errors of the connection itself come as the `URLError` that the session
    /// gives.
    public enum RxCocoaURLError: Swift.Error {
        /// The session gave neither a response nor an error.
        case unknown

        /// The response is not one of HTTP.
        case nonHTTPResponse(response: URLResponse)

        /// The status is outside of 200 to 299.
        case httpRequestFailed(response: HTTPURLResponse, data: Data?)

        /// The body is not what it was taken for.
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
