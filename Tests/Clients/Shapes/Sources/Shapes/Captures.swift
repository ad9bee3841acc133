import RxSwift

final class Counter {
    var count = 0
    func add(_ number: Int) { count += number }
    func added(_ number: Int) -> Int {
        count += number
        return count
    }
}

struct Tally {
    var sum = 0
    mutating func add(_ number: Int) { sum += number }
}

protocol Listener: AnyObject {
    func heard(_ number: Int)
}

extension Counter: Listener {
    func heard(_ number: Int) { count += 100 * number }
}

func captures() {
    let numbers = PublishSubject<Int>()
    let bag = DisposeBag()
    let counter = Counter()
    var tally = Tally()
    var last: Int?
    var subscription: (any Disposable)?
    let listener: any Listener = counter

    numbers.subscribe(onNext: counter.add).disposed(by: bag)
    numbers.map(counter.added).subscribe(onNext: { last = $0 }).disposed(by: bag)
    numbers.subscribe(onNext: { tally.add($0) }).disposed(by: bag)
    numbers.subscribe(onNext: { [weak listener] in listener?.heard($0) }).disposed(by: bag)
    numbers.subscribe { event in if case .next(let number) = event { tally.sum += number } }.disposed(by: bag)
    subscription = numbers.subscribe(onNext: { _ in subscription?.dispose() })

    offMain { numbers.onNext(3) }
    expect(counter.count, 306)
    expect(tally.sum, 6)
    expect(last, 6)
    withExtendedLifetime(subscription) {}

    let counters = PublishSubject<Counter>()
    var kept: [Counter] = []
    counters.filter { $0.count > 0 }.subscribe(onNext: { kept.append($0) }).disposed(by: bag)
    offMain {
        let mine = Counter()
        counters.onNext(mine)
        mine.add(1)
        counters.onNext(mine)
    }
    expect(kept.map(\.count), [1])

    let created = Observable<Int>.create { observer in
        offMain {
            observer.onNext(1)
            observer.onCompleted()
        }
        return Disposables.create { counter.count = 0 }
    }
    created.subscribe(onNext: counter.add, onCompleted: { last = nil }).disposed(by: bag)
    expect(counter.count, 0)
    expect(last, nil)
}
