import Dispatch

struct Request: Sendable { var timeout = DispatchTimeInterval.never }
struct Client: Sendable { func send(_: Request) -> Single<String> { .just("") } }

let request = Request()
let client = Client()
var changes: Observable<Int> { .never() }
var lookUp: Observable<Int> { .never() }
var budget: RetryBudget { RetryBudget(ratio: 0.1) }
@Sendable func assemble() async throws -> String { "" }
var first: Observable<Int> { .never() }
func second(until _: Deadline?) -> Observable<Int> { .never() }
