struct Page { static let empty = Page() }
struct Unavailable: Error {}

var orders: Observable<Int> { .never() }
func fetch(_: String) -> Observable<Page> { .never() }
func charge(_ order: Int) -> Observable<Int> { .just(order) }
func confirm(_: Int) {}
