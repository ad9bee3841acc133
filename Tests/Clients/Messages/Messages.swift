// Programs that the compiler must reject. A line's comment is the beginning of the expected error
// (scripts/check-type-checking.sh).

import RxSwift

func load(_ id: Int) async throws -> String { "\(id)" }

func awaits(_ ids: Observable<Int>, _ id: Single<Int>, _ safe: Infallible<Int>) {
    _ = ids.map { try await load($0) }  // 'map' is unavailable: its closure cannot await; use 'concatMapAsync'
    _ = ids.flatMap { try await load($0) }  // 'flatMap' is unavailable: its closure returns a sequence; if
    _ = ids.concatMap { try await load($0) }  // 'concatMap' is unavailable: its closure returns a sequence; if
    _ = ids.flatMapLatest { try await load($0) }  // 'flatMapLatest' is unavailable: its closure returns
    _ = ids.compactMap { try await load($0) }  // 'compactMap' is unavailable: its closure cannot await
    _ = id.map { try await load($0) }  // 'map' is unavailable: its closure cannot await; use 'flatMapAsync'
    _ = id.flatMap { try await load($0) }  // 'flatMap' is unavailable: its closure returns a sequence; if
    _ = safe.map { await load($0, twice: true) }  // 'map' is unavailable: its closure cannot await
    _ = ids.flatMap { $0 + 1 }  // 'flatMap' is unavailable: its closure returns a sequence; if
}

func load(_ id: Int, twice: Bool) async -> String { "\(id)" }

func combine(_ a: Observable<Int>, _ b: Observable<String>, _ many: Observable<Observable<Int>>) {
    _ = a.sink { print($0) }  // 'sink(receiveValue:)' has been renamed to 'subscribe(onNext:)'
    _ = a.sink(receiveCompletion: { _ in }, receiveValue: { _ in })  // 'sink(receiveCompletion:receiveValue:)' is una
    _ = a.tryMap { $0 + 1 }  // 'tryMap' has been renamed to 'map(_:)'
    _ = a.removeDuplicates()  // 'removeDuplicates()' has been renamed to 'distinctUntilChanged()'
    _ = a.receive(on: MainScheduler.instance)  // 'receive(on:)' has been renamed to 'observe(on:)'
    _ = a.prefix(2)  // 'prefix' has been renamed to 'take(_:)'
    _ = a.prefix(untilOutputFrom: b)  // 'prefix(untilOutputFrom:)' has been renamed to 'take(until:)'
    _ = a.dropFirst()  // 'dropFirst' has been renamed to 'skip(_:)'
    _ = a.replaceError(with: 1)  // 'replaceError(with:)' has been renamed to 'catchAndReturn(_:)'
    _ = a.combineLatest(b)  // 'combineLatest' is unavailable: use 'Observable.combineLatest(a, b)'
    _ = a.zip(b)  // 'zip' is unavailable: use 'Observable.zip(a, b)'
    _ = many.switchToLatest()  // 'switchToLatest()' has been renamed to 'switchLatest()'
    _ = a.handleEvents(receiveOutput: { print($0) })  // 'handleEvents(receiveSubscription:receiveOutput:
    _ = a.eraseToAnyPublisher()  // 'eraseToAnyPublisher()' has been renamed to 'asObservable()'
}

func subjects(_ bag: inout DisposeBag, _ subject: PublishSubject<Int>) {
    _ = PassthroughSubject<Int, Never>()  // 'PassthroughSubject' has been renamed to 'PublishSubject'
    _ = CurrentValueSubject<Int, Never>(1)  // 'CurrentValueSubject' has been renamed to 'BehaviorSubject'
    subject.send(1)  // 'send' has been renamed to 'onNext(_:)'
    subject.subscribe().cancel()  // 'cancel()' has been renamed to 'dispose()'
    subject.subscribe().store(in: &bag)  // 'store(in:)' is unavailable: use 'disposed(by:)' with a 'DisposeBag'
}

var all = Set<AnyCancellable>()  // 'AnyCancellable' is unavailable: keep an 'any Disposable', or a 'DisposeBag'

public func poll(every period: RxTimeInterval = .seconds(5)) {}  // enum case 'seconds' cannot be used in a default
