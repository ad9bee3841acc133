struct Client { func answer() -> RxSwift.Observable<Int> { .just(42) } }
var client: Client { Client() }
var names: RxSwift.Observable<String?> { .of("a", nil) }
