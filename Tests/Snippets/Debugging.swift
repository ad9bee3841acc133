var orders: Observable<Int> { .never() }
var request: Int { 7 }
func handle(_: Int) {}
