import RxSwift

struct Named: Equatable {
    let name: String
    init(_ number: Int) { name = "n\(number)" }
    static func isLong(_ named: Named) -> Bool { named.name.count > 2 }
}

enum Refusal: Error { case odd }

func double(_ number: Int) -> Int {
    expectOffMain()
    return number * 2
}

func isEven(_ number: Int) -> Bool { number.isMultiple(of: 2) }

func evenOnly(_ number: Int) throws -> Int {
    guard isEven(number) else { throw Refusal.odd }
    return number
}

func identity<Value>(_ value: Value) -> Value { value }

func twice(_ number: Int) -> Observable<Int> { Observable.just(number).map(double) }

func three(_ observer: AnyObserver<Int>) -> any Disposable {
    for number in 1...3 { observer.onNext(number) }
    observer.onCompleted()
    return Disposables.create()
}

func functions() {
    let numbers = PublishSubject<Int>()
    let bag = DisposeBag()
    var seen: [String] = []
    func note(_ text: String) { seen.append(text) }
    func noteError(_ error: any Error) { seen.append("error \(error)") }
    func noteEnd() { seen.append("end") }

    numbers.map(double).map(identity).map(Named.init).filter(Named.isLong).map(\.name).subscribe(onNext: note).disposed(
        by: bag)
    numbers.map(evenOnly).map(String.init).subscribe(
        onNext: note, onError: noteError, onCompleted: noteEnd, onDisposed: noteEnd
    )
    .disposed(by: bag)
    numbers.flatMap(twice).map(-).map(String.init).subscribe(onNext: note).disposed(by: bag)
    offMain {
        numbers.onNext(6)
        numbers.onNext(7)
    }
    expect(seen, ["n12", "6", "-12", "n14", "error odd", "end", "-14"])

    var created: [Int] = []
    func take(_ event: Event<Int>) { if let element = event.element { created.append(element) } }
    let source = Observable.create(three)
    Observable.merge(source, source.filter(isEven)).subscribe(take).disposed(by: bag)
    expect(created.sorted(), [1, 2, 2, 3])
}
