struct User: Sendable {}
struct Users { func load(_: Int) -> Single<User> { .just(User()) } }
struct Client: Sendable { func query(_: String) async throws -> [String] { [] } }

let id = 7
let statement = "SELECT 1"
let client = Client()
var users: Users { Users() }
