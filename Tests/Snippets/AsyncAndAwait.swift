struct Change: Sendable {}
struct User: Sendable { var changes: Observable<Change> { .never() } }
struct Users: Sendable { func find(_: Int) -> Single<User> { .just(User()) } }
struct Request: Sendable {
    var id = 7
    func send(_: Change) async throws {}
}
enum Response { case done }
struct Connection: Sendable { func readLine() async throws -> String? { nil } }
struct Exchange: Sendable { func price(of _: String) async throws -> Double { 0 } }

let users = Users()
let connection = Connection()
let exchange = Exchange()
var positions: Observable<Int> { .never() }
var symbols: Observable<String> { .never() }
func draw(_: Int) async {}
