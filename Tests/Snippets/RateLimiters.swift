struct Client: Sendable {
    func send(_: String) -> Completable { .empty() }
    func send(_: String) async throws {}
}

let client = Client()
let message = ""
var readings: Observable<Int> { .never() }
