import RxTest

struct Unavailable: Error {}
struct Receipt: Sendable {}
struct Client: Sendable { func charge(_: Int) async throws -> Receipt { Receipt() } }
struct OldClient: Sendable { func charge(_: Int) -> Single<Receipt> { .just(Receipt()) } }

let client = Client()
let oldClient = OldClient()
let order = 7
var charge: Single<Receipt> { .just(Receipt()) }
var policy: RetryPolicy { .atOnce() }
