var texts: Observable<String> { .never() }
func parse(_ text: String) throws -> Int { 7 }
func store(_ number: Int) -> Observable<Void> { .just(()) }
