struct Unavailable: Error {}
struct Client: Sendable { func charge(_: Int) async throws -> String { "" } }

let client = Client()
let order = 7
var charge: Single<String> { .just("") }
