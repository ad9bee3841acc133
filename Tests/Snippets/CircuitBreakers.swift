struct InvalidCard: Error {}
struct Client: Sendable {
    func charge(_: Int) -> Single<String> { .just("") }
    func refund(_: Int) async throws -> String { "" }
}

let order = 7
let client = Client()
