var readings: Observable<Int> { .never() }
func sink(_: Int) {}
