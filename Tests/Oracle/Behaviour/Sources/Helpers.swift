// Short names for sources and observers. Blocks between blank lines are independent: one that does not compile is left
// out, together with the rows that use it.
import Foundation
import RxSwift

func of<T>(_ e: T...) -> Observable<T> { .from(e) }

func of<T>(_ e: T..., scheduler: ImmediateSchedulerType) -> Observable<T> { .from(e, scheduler: scheduler) }

func from<T>(_ e: [T]) -> Observable<T> { .from(e) }

func from<T>(_ e: [T], scheduler: ImmediateSchedulerType) -> Observable<T> { .from(e, scheduler: scheduler) }

func range(_ start: Int, _ count: Int) -> O { .range(start: start, count: count) }

func range(_ start: Int, _ count: Int, scheduler: ImmediateSchedulerType) -> O {
    .range(start: start, count: count, scheduler: scheduler)
}

func just(_ e: Int) -> O { .just(e) }

func empty() -> O { .empty() }

func never() -> O { .never() }

func error(_ e: E) -> O { .error(e) }

func create(_ f: @escaping (AnyObserver<Int>) -> Disposable) -> O { .create(f) }

func deferred(_ f: @escaping () throws -> O) -> O { .deferred(f) }

func merge(_ o: O...) -> O { .merge(o) }

func concat(_ o: O...) -> O { .concat(o) }

func amb(_ o: O...) -> O { .amb(o) }

func combineLatest<A: ObservableType, B: ObservableType>(_ x: A, _ y: B) -> O where A.Element == Int, B.Element == Int {
    .combineLatest(x, y) { $0 * 10 + $1 }
}

func zip<A: ObservableType, B: ObservableType>(_ x: A, _ y: B) -> O where A.Element == Int, B.Element == Int {
    .zip(x, y) { $0 * 10 + $1 }
}

func ps() -> PublishSubject<Int> { PublishSubject() }

func bs(_ value: Int) -> BehaviorSubject<Int> { BehaviorSubject(value: value) }

func rs(_ size: Int) -> ReplaySubject<Int> { .create(bufferSize: size) }

func D(_ name: String) -> Disposable { Disposables.create { l(name) } }

final class Res: Disposable {
    let name: String
    init(_ name: String) { self.name = name }
    func dispose() { l(name) }
}

let idle = Idle()
final class Idle: SchedulerType {
    var now: Date { Date(timeIntervalSince1970: 0) }
    func schedule<S>(_ state: S, action: @escaping (S) -> Disposable) -> Disposable { Disposables.create() }
    func scheduleRelative<S>(_ state: S, dueTime: RxTimeInterval, action: @escaping (S) -> Disposable) -> Disposable {
        Disposables.create()
    }
    func schedulePeriodic<S>(_ state: S, startAfter: RxTimeInterval, period: RxTimeInterval, action: @escaping (S) -> S)
        -> Disposable
    { Disposables.create() }
}

func sec(_ n: Int) -> RxTimeInterval { .seconds(n) }

extension ObservableType {
    /// logs, for the name "a": a1 for the element 1 (then runs f), aC for the completion, aE(x) for the error x
    @discardableResult func see(
        _ n: String = "", _ f: ((Element) -> Void)? = nil, c: (() -> Void)? = nil, e: (() -> Void)? = nil
    ) -> Disposable {
        subscribe(
            onNext: {
                l("\(n)\($0)"); f?($0)
            },
            onError: {
                l("\(n)E(\($0))"); e?()
            },
            onCompleted: {
                l("\(n)C"); c?()
            })
    }
    /// As `see`, and logs aD when the subscription is disposed of.
    @discardableResult func seeD(_ n: String = "", _ f: ((Element) -> Void)? = nil) -> Disposable {
        subscribe(
            onNext: {
                l("\(n)\($0)"); f?($0)
            }, onError: { l("\(n)E(\($0))") }, onCompleted: { l("\(n)C") }, onDisposed: { l("\(n)D") })
    }
    /// logs, for the element 1: s1, then runs f, then e1; C for the completion, E(x) for the error x
    @discardableResult func nest(_ f: @escaping (Element) -> Void) -> Disposable {
        subscribe(
            onNext: {
                l("s\($0)"); f($0); l("e\($0)")
            }, onError: { l("E(\($0))") }, onCompleted: { l("C") })
    }
}

extension ObservableType {
    func od(_ n: String) -> Observable<Element> { self.do(onDispose: { l("\(n)-") }) }
    func os(_ n: String) -> Observable<Element> { self.do(onSubscribe: { l("\(n)+") }) }
    func sd(_ n: String) -> Observable<Element> { self.do(onSubscribe: { l("\(n)+") }, onDispose: { l("\(n)-") }) }
}

extension ObservableType {
    func life(_ n: String) -> Observable<Element> {
        self.do(
            onNext: { l("\(n)\($0)") }, afterNext: { l("\(n)\($0)'") }, onError: { _ in l("\(n)E") },
            afterError: { _ in l("\(n)E'") },
            onCompleted: { l("\(n)C") }, afterCompleted: { l("\(n)C'") }, onSubscribe: { l("\(n)+") },
            onSubscribed: { l("\(n)++") }, onDispose: { l("\(n)-") })
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    @discardableResult func see(_ n: String = "") -> Disposable {
        subscribe(
            onSuccess: { l("\(n)success(\($0))") }, onFailure: { l("\(n)failure(\($0))") },
            onDisposed: { l("\(n)disposed") })
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    @discardableResult func see(_ n: String = "") -> Disposable {
        subscribe(
            onSuccess: { l("\(n)success(\($0))") }, onError: { l("\(n)error(\($0))") },
            onCompleted: { l("\(n)completed") }, onDisposed: { l("\(n)disposed") })
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    @discardableResult func see(_ n: String = "") -> Disposable {
        subscribe(
            onCompleted: { l("\(n)completed") }, onError: { l("\(n)error(\($0))") }, onDisposed: { l("\(n)disposed") })
    }
}

extension InfallibleType {
    @discardableResult func see(_ n: String = "") -> Disposable {
        subscribe(onNext: { l("\(n)\($0)") }, onCompleted: { l("\(n)completed") }, onDisposed: { l("\(n)disposed") })
    }
}
