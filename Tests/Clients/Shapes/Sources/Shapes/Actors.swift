import RxSwift

actor Ledger {
    private var entries: [Int] = []
    private let bag = DisposeBag()

    var sum: Int { entries.reduce(0, +) }

    func enter(_ number: Int) { entries.append(number) }
    func doubled(_ number: Int) -> Int { number * 2 }

    func follow(_ numbers: Observable<Int>) {
        // In Swift 6 mode, a method of the actor cannot be passed by name.
        #if swift(>=6)
            numbers.map { self.doubled($0) }.subscribe(onNext: { self.enter($0) }).disposed(by: bag)
        #else
            numbers.map(doubled).subscribe(onNext: enter).disposed(by: bag)
        #endif
        numbers.subscribe(onNext: { self.entries.append($0) }).disposed(by: bag)
        numbers.subscribe(onNext: { number in Task { await self.later(number) } }).disposed(by: bag)
    }

    private var late = 0
    func later(_ number: Int) { late += number }
    var lateSum: Int { late }
}

func actors() async {
    let numbers = PublishSubject<Int>()
    let ledger = Ledger()
    await ledger.follow(numbers)
    await Task.detached { numbers.onNext(5) }.value
    let sum = await ledger.sum
    expect(sum, 15)
    while await ledger.lateSum != 5 { await Task.yield() }
}
