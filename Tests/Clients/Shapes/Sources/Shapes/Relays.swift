import RxRelay
import RxSwift

@MainActor
final class Model {
    let count = BehaviorRelay(value: 0)
    let clicks = PublishRelay<Int>()
    let title = BehaviorRelay<String?>(value: nil)
    private(set) var changes: [String] = []
    private let bag = DisposeBag()

    func describe(_ count: Int) -> String { "count \(count)" }
    func note(_ change: String) { changes.append(change) }
    func accept(_ number: Int) { count.accept(count.value + number) }

    init() {
        // See `main.swift`.
        #if swift(>=6)
            clicks.subscribe(onNext: { self.accept($0) }).disposed(by: bag)
            count.map { self.describe($0) }.bind(to: title).disposed(by: bag)
            title.compactMap(\.self).subscribe(onNext: { self.note($0) }).disposed(by: bag)
        #else
            clicks.subscribe(onNext: accept).disposed(by: bag)
            count.map(describe).bind(to: title).disposed(by: bag)
            title.compactMap(\.self).subscribe(onNext: note).disposed(by: bag)
        #endif
        count.asObservable().subscribe(with: self, onNext: { model, count in model.note("\(count)") }).disposed(by: bag)
    }
}

@MainActor
func relays() {
    let model = Model()
    let numbers = PublishSubject<Int>()
    let bag = DisposeBag()
    let (left, right) = (PublishRelay<Int>(), PublishRelay<Int>())
    var seen: [Int] = []
    left.subscribe(onNext: { seen.append($0) }).disposed(by: bag)
    right.subscribe(onNext: { seen.append(-$0) }).disposed(by: bag)
    numbers.bind(to: model.clicks).disposed(by: bag)
    numbers.bind(to: left, right).disposed(by: bag)
    offMain {
        numbers.onNext(2)
        numbers.onNext(3)
    }
    expect(model.count.value, 5)
    expect(model.title.value, "count 5")
    expect(model.changes, ["count 0", "0", "count 2", "2", "count 5", "5"])
    expect(seen, [2, -2, 3, -3])
}
