struct Client: Sendable { func read(_: String) async throws -> String { "" } }

let client = Client()
let key = ""
var read: Observable<String> { .just("") }
var replicas: RetryBudget { RetryBudget(ratio: 0.1) }
