// The part of Hummingbird that the page uses, because the checks of the pages do not fetch Hummingbird. The example
// with the same code compiles with the real one.
struct Bank: Sendable { func charge(_: Order) -> Single<String> { .just("") } }
let bank = Bank()

struct HTTPResponse {
    enum Status { case ok, accepted, serviceUnavailable }
}
struct BasicRequestContext: Sendable {}
struct Request {
    func decode<Value: Decodable>(as: Value.Type, context: BasicRequestContext) async throws -> Value { fatalError() }
}
struct Response {
    enum Header { case contentType }
    init(status: HTTPResponse.Status, headers: [Header: String], body: ResponseBody) {}
}
struct ResponseBodyWriter {
    mutating func write(_: ByteBuffer) async throws {}
    consuming func finish(_: [String: String]?) async throws {}
}
struct ResponseBody {
    init(_: @Sendable @escaping (inout ResponseBodyWriter) async throws -> Void) {}
}
final class Router<Context: Sendable> {
    init(context: Context.Type = BasicRequestContext.self) {}
    func get<Output>(_: String, _: @Sendable @escaping (Request, Context) async throws -> Output) {}
    func post<Output>(_: String, _: @Sendable @escaping (Request, Context) async throws -> Output) {}
}
struct Application: Service {
    init(router: Router<BasicRequestContext>, logger: Logger) {}
    func run() async throws {}
}
