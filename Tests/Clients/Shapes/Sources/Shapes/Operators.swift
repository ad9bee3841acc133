import Foundation
import RxSwift

// Operators' arguments are called on a scheduler's own thread.

struct Reading: Sendable, Equatable {
    let id: Int
    let note: String
}

func pair(_ left: Int, _ right: String) -> Reading { Reading(id: left, note: right) }

func sameID(_ left: Reading, _ right: Reading) -> Bool { left.id == right.id }

func make() throws -> Observable<Int> { Observable.of(1, 2, 3) }

func rescue(_ error: any Error) -> Observable<Int> { Observable.just(-1) }

func rescueOnce(_ errors: Observable<any Error>) -> Observable<Int> { errors.take(1).map { _ in 0 } }

@MainActor
final class Report {
    private var lines: [String] = []
    private let bag = DisposeBag()
    private let scheduler = SerialDispatchQueueScheduler(qos: .userInitiated)
    private let factor = 10

    var text: String { lines.joined(separator: " ") }

    func scaled(_ number: Int) -> Int { number * factor }
    func write(_ line: String) { lines.append(line) }
    func sum(_ left: Int, _ right: Int) -> Int { left + right }
    func inner(_ number: Int) -> Observable<Int> { Observable.just(number + factor) }
    func isNew(_ left: Int, _ right: Int) -> Bool { left == right }

    func fill(done: @escaping @Sendable () -> Void) {
        let numbers = Observable.of(1, 2, 2, 3).observe(on: scheduler)
        numbers
            .do(onNext: { [weak self] number in
                expectOffMain()
                self?.write("do\(number)")
            })
            // See `main.swift`.
            #if swift(>=6)
                .map { self.scaled($0) }
                .distinctUntilChanged { self.isNew($0, $1) }
                .flatMap { self.inner($0) }
                .scan(0, accumulator: { self.sum($0, $1) })
            #else
                .map(scaled)
                .distinctUntilChanged(isNew)
                .flatMap(inner)
                .scan(0, accumulator: sum)
            #endif
            .reduce(0, accumulator: +)
            .subscribe(onNext: { self.write("\($0)") }, onCompleted: done)
            .disposed(by: bag)
    }
}

@MainActor
func operators() {
    let report = Report()
    let done = DispatchSemaphore(value: 0)
    report.fill { done.signal() }
    done.wait()
    // `scan` sends 20, 20 + 30 and 20 + 30 + 40.
    expect(report.text, "do1 do2 do2 do3 160")

    let left = PublishSubject<Int>()
    let right = PublishSubject<String>()
    let bag = DisposeBag()
    var readings: [Reading] = []
    var sums: [Int] = []
    #if swift(>=6)
        let keep: (Reading) -> Void = { readings.append($0) }
        let add: (Int) -> Void = { sums.append($0) }
    #else
        func keep(_ reading: Reading) { readings.append(reading) }
        func add(_ sum: Int) { sums.append(sum) }
    #endif

    Observable.combineLatest(left, right, resultSelector: pair).distinctUntilChanged(sameID).subscribe(onNext: keep)
        .disposed(by: bag)
    Observable.zip(left, right, resultSelector: Reading.init).subscribe(onNext: keep).disposed(by: bag)
    Observable.zip(left, left.skip(1), resultSelector: +).subscribe(onNext: add).disposed(by: bag)
    left.withLatestFrom(right, resultSelector: pair).map(\.id).subscribe(onNext: add).disposed(by: bag)
    offMain {
        left.onNext(1)
        right.onNext("a")
        left.onNext(2)
    }
    expect(readings.map(\.id), [1, 1, 2])
    expect(sums, [3, 2])

    sums = []
    Observable.deferred(make).map(evenOnly).catch(rescue).subscribe(onNext: add).disposed(by: bag)
    Observable.deferred { try make() }.map(evenOnly).retry(when: rescueOnce).subscribe(
        onNext: add, onError: noteNothing
    ).disposed(by: bag)
    Observable.of("1", "x", "3").compactMap(Int.init).subscribe(onNext: add).disposed(by: bag)
    expect(sums, [-1, 1, 3])
}

func noteNothing(_ error: any Error) {}
