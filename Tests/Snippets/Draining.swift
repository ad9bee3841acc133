var orders: Observable<Int> { .never() }
func charge(_ order: Int) -> Observable<Int> { .just(order) }
func confirm(_: Int) {}
func respond(_: Int) {}
