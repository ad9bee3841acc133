#if Foundation
    import Foundation
    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif
    import RxCocoa
    import TestSupport
    import Testing

    struct RxCocoaURLErrorTests {
        @Test func debugDescriptionStatesCause() throws {
            let url = try #require(URL(string: "http://localhost"))
            let response = URLResponse(
                url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
            let failed = try #require(
                HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: nil))
            let errors: [RxCocoaURLError] = [
                .unknown, .nonHTTPResponse(response: response), .httpRequestFailed(response: failed, data: nil),
                .deserializationError(error: TestError.a),
            ]
            #expect(
                errors.map(\.debugDescription) == [
                    "Unknown error has occurred.", "Response is not NSHTTPURLResponse `\(response)`.",
                    "HTTP request failed with `404`.", "Error during deserialization of the response: a",
                ])
        }
    }
#endif
