import Foundation
import Hummingbird
import Logging

/// The environment's settings: `HOST`, `PORT`, and `INSPECTOR=1` to show the inspector.
enum Settings {
    struct Invalid: Error, CustomStringConvertible {
        let description: String
    }

    static var hasInspector: Bool { Environment().get("INSPECTOR") == "1" }

    static func address() throws -> BindAddress {
        let environment = Environment()
        let port = environment.get("PORT") ?? "8080"
        guard let number = UInt16(port) else {
            throw Invalid(description: "PORT must be a number from 0 to 65535, not '\(port)'")
        }
        return .hostname(environment.get("HOST") ?? "127.0.0.1", port: Int(number))
    }
}

func orExit(_ logger: Logger, _ run: @Sendable () async throws -> Void) async {
    do {
        try await run()
    } catch {
        logger.critical("failed: \(error)")
        exit(1)
    }
}

extension Response {
    init(_ text: String, type: String, _ status: HTTPResponse.Status = .ok) {
        let body = ResponseBody(byteBuffer: ByteBuffer(string: text))
        self.init(status: status, headers: [.contentType: type], body: body)
    }
}
