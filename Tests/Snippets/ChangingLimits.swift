struct Order: Sendable {}
struct Client: Sendable { func charge(_: Order) -> Single<String> { .just("receipt") } }

let client = Client()
let order = Order()
let database = Bulkhead(32, waiting: 100, name: "database")
var lines: Observable<String> { .never() }
func parse(_ line: String) -> Int { line.count }
