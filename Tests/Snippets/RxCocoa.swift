enum Health {
    case good, bad, unknown
    var isGood: Bool { self == .good }
}
struct Check { func run() -> Single<Health> { .just(.good) } }
struct Page { func show(_: Health) {} }

var checks: Observable<Check> { .never() }
var page: Page { Page() }
var isReady: AnyObserver<Bool> { AnyObserver { _ in } }
