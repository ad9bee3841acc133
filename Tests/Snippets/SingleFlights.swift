typealias UserID = Int
struct User: Sendable {}
struct Client: Sendable {
    func fetch(_: UserID) -> Single<User> { .just(User()) }
    func fetch(_: UserID) async throws -> User { User() }
}

let client = Client()
let id = 7
