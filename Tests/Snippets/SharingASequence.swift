struct Quote: Sendable { var price = 0.0 }

var readings: Observable<Int> { .never() }
func connect(_: String) -> Observable<String> { .never() }
func parse(_: String) -> Quote { Quote() }
func show(_: Quote) {}
func record(_: Double) {}
