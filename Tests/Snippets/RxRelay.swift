var requests: Observable<String> { .never() }
