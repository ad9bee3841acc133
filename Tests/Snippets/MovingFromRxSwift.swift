var source: Observable<Int> { .never() }
func finished() async {}
