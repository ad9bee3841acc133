// With C++ interoperability, the client imports the C core as C++. Code inlined into a release build must find the
// core's functions under their C names.
import RxCocoa
import RxRelay
import RxSwift

nonisolated(unsafe) var received: [Int] = []
let bag = DisposeBag()

let subject = PublishSubject<Int>()
let relay = BehaviorRelay(value: 10)
Observable.merge(subject.map { $0 + 1 }.flatMap { Observable.just($0) }, relay.asObservable())
    .scan(0, accumulator: { $0 + $1 })
    .share(replay: 1)
    .take(3)
    .subscribe(onNext: { received.append($0) })
    .disposed(by: bag)
subject.onNext(1)
relay.accept(20)
subject.onNext(2)

Observable<Int>.create { observer in
    observer.onNext(7)
    observer.onCompleted()
    return Disposables.create()
}
.asDriver(onErrorJustReturn: 0)
.drive(onNext: { received.append($0) })
.dispose()

let replayed = ReplaySubject<Int>.create(bufferSize: 1)
replayed.onNext(5)
Observable.zip(replayed, Observable.of(1, 2)).subscribe(onNext: { received.append($0 * $1) }).disposed(by: bag)

precondition(received == [10, 12, 32, 7, 5], "\(received)")
print("cxx passed")
