import Foundation

// Replaces the part of Hummingbird that the page uses, because the pages' checks do not fetch Hummingbird. The example
// with the same code runs with Hummingbird itself (scripts/test-service.sh).
struct Bank: Sendable {
    func charge(_ order: Order) -> Single<String> { .just("\(order.id)") }
}
let bank = Bank()

struct HTTPResponse {
    enum Status { case ok, accepted, serviceUnavailable }
}
struct BasicRequestContext: Sendable {}
struct Request: Sendable {
    var body = ""

    func decode<Value: Decodable>(as type: Value.Type, context: BasicRequestContext) async throws -> Value {
        try JSONDecoder().decode(type, from: Data(body.utf8))
    }
}
struct Response: Sendable {
    enum Header { case contentType }
    let body: ResponseBody

    init(status: HTTPResponse.Status, headers: [Header: String], body: ResponseBody) { self.body = body }
}
struct ResponseBodyWriter {
    mutating func write(_ part: ByteBuffer) async throws { happened("event: \(String(buffer: part).dropLast(2))") }
    consuming func finish(_: [String: String]?) async throws { happened("event stream ended") }
}
struct ResponseBody: Sendable {
    let write: @Sendable (inout ResponseBodyWriter) async throws -> Void

    init(_ write: @Sendable @escaping (inout ResponseBodyWriter) async throws -> Void) { self.write = write }
}
final class Router<Context: Sendable>: @unchecked Sendable {  // routes are added before it is used
    var routes: [String: @Sendable (Request, Context) async throws -> Any] = [:]

    init(context: Context.Type = BasicRequestContext.self) {}

    func get<Output>(_ path: String, _ answer: @Sendable @escaping (Request, Context) async throws -> Output) {
        routes["GET \(path)"] = answer
    }

    func post<Output>(_ path: String, _ answer: @Sendable @escaping (Request, Context) async throws -> Output) {
        routes["POST \(path)"] = answer
    }
}

/// Receives two orders and a request for an event stream. Runs until the graceful shutdown.
struct Application: Service {
    let router: Router<BasicRequestContext>

    init(router: Router<BasicRequestContext>, logger: Logger) { self.router = router }

    func run() async throws {
        let response = try await answer("GET /confirmations", "") as! Response
        async let events: Void = send(response.body)
        for (path, order) in [("/orders/charged", 1), ("/orders", 2)] {
            var status: HTTPResponse.Status
            // The pipeline may not be running yet, or the client may not have subscribed.
            repeat {
                await Task.yield()
                status = try await answer("POST \(path)", "{ \"id\": \(order) }") as! HTTPResponse.Status
            } while status == .serviceUnavailable
            happened("\(path): \(status)")
        }
        try await gracefulShutdown()
        try await events
    }

    private func answer(_ route: String, _ body: String) async throws -> Any {
        try await router.routes[route]!(Request(body: body), BasicRequestContext())
    }

    private func send(_ body: ResponseBody) async throws {
        var writer = ResponseBodyWriter()
        try await body.write(&writer)
    }
}

let blocks = [
    2: Block(
        happens: [
            "/orders/charged: ok", "/orders: accepted", "event: data: 2", "event stream ended", "info: draining",
        ],
        sigtermAfter: "event: data: 2")
]
