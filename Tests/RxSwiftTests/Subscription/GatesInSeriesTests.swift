import Dispatch
import RxRelay
import RxSwift
import TestSupport
import Testing

/// A source's events pass two gates, and an observer pushes into the source during a delivery.
@Suite struct GatesInSeriesTests {
    struct Meeting: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Whether RxSwift delivers the joined events under a lock. The lock decides the order of nested events.
        let hasLock: Bool
        let join: @Sendable (Observable<Int>, Observable<Int>) -> Observable<Int>

        init(
            _ name: String, hasLock: Bool = true,
            _ join: @escaping @Sendable (Observable<Int>, Observable<Int>) -> Observable<Int>
        ) {
            testDescription = name
            self.hasLock = hasLock
            self.join = join
        }
    }

    static let meetings = [
        Meeting("merge") { .merge($0, $1) },
        Meeting("flatMap") { a, b in Observable.of(a, b).flatMap { $0 } },
        Meeting("merge(maxConcurrent:)") { a, b in Observable.of(a, b).merge(maxConcurrent: 2) },
        Meeting("combineLatest") { a, b in
            Observable.combineLatest(a.startWith(0), b.startWith(0)) { $0 == 0 ? $1 : $0 }.filter { $0 != 0 }
                .distinctUntilChanged()
        },
        Meeting("scan over merge") { a, b in Observable.merge(a, b).scan(0) { $1 } },
        Meeting("share over merge") { Observable.merge($0, $1).share() },
        Meeting("take(until:)") { a, b in Observable.merge(a, b).take(until: Observable<Int>.never()) },
        Meeting("a subject fed from two", hasLock: false) { a, b in
            Observable.create { observer in
                let subject = PublishSubject<Int>()
                let result = subject.subscribe(observer)
                return Disposables.create([
                    result, a.subscribe(onNext: subject.onNext), b.subscribe(onNext: subject.onNext),
                ])
            }
        },
        Meeting("a relay fed from two", hasLock: false) { a, b in
            Observable.create { observer in
                let relay = PublishRelay<Int>()
                let result = relay.subscribe(observer)
                return Disposables.create([result, a.bind(to: relay), b.bind(to: relay)])
            }
        },
        Meeting("create", hasLock: false) { a, b in
            Observable.create { observer in
                Disposables.create(a.subscribe(onNext: observer.onNext), b.subscribe(onNext: observer.onNext))
            }
        },
    ]

    @Test(arguments: meetings)
    func reentrantPush_otherThreadPushesTheSameSource_keepsItsOrder(_ meeting: Meeting) {
        let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
        let log = Log()
        let (isBusy, isFirstLeft, isNested, areOthersLeft, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0),
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let subscription = meeting.join(a, b).subscribe(onNext: { element in
            log(element)
            if element == 1 {
                isBusy.signal()
                isFirstLeft.wait()
                a.onNext(900)
            }
            if element == 900 {
                isNested.signal()
                areOthersLeft.wait()
            }
        })
        defer { subscription.dispose() }
        startThread {
            isBusy.wait()
            a.onNext(10)
            isFirstLeft.signal()
            isNested.wait()
            a.onNext(11)
            a.onNext(12)
            a.onCompleted()
            areOthersLeft.signal()
            ended.signal()
        }

        b.onNext(1)
        ended.wait()

        // In RxSwift, the thread that pushes 10 waits for the lock. Without a lock, that thread delivers 10 at once.
        #expect(log.text == (meeting.hasLock ? "1 900 10 11 12" : "1 10 900 11 12"))
    }

    struct Pushed: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let make: @Sendable () -> (Observable<Int>, @Sendable (Int) -> Void)

        init(_ name: String, _ make: @escaping @Sendable () -> (Observable<Int>, @Sendable (Int) -> Void)) {
            testDescription = name
            self.make = make
        }
    }

    static let pushed = [
        Pushed("PublishSubject") {
            let subject = PublishSubject<Int>()
            return (subject.asObservable(), { subject.onNext($0) })
        },
        Pushed("BehaviorSubject") {
            let subject = BehaviorSubject(value: 0)
            return (subject.skip(1), { subject.onNext($0) })
        },
        Pushed("ReplaySubject") {
            let subject = ReplaySubject<Int>.create(bufferSize: 1)
            return (subject.asObservable(), { subject.onNext($0) })
        },
        Pushed("BehaviorRelay") {
            let relay = BehaviorRelay(value: 0)
            return (relay.skip(1), { relay.accept($0) })
        },
        Pushed("create") {
            let observer = Guarded<AnyObserver<Int>?>(nil)
            let source = Observable<Int>.create { created in
                observer.withLock { $0 = created }
                return Disposables.create()
            }
            return (source, { element in observer.withLock { $0 }?.onNext(element) })
        },
    ]

    @Test(arguments: pushed)
    func reentrantPushesIntoOneSource_fromTwoThreads_keepTheirOrder(_ pushed: Pushed) {
        let (source, push) = pushed.make()
        let log = Log()
        let (isBusy, isOwned, isFree, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0),
            DispatchSemaphore(value: 0)
        )
        let held = source.do(onNext: { element in
            if element == 2 {
                isOwned.signal()
                isFree.wait()
            }
        })
        startThread {
            isBusy.wait()
            push(2)
            ended.signal()
        }

        // `just` has no gate, so this thread owns only the merge's gate.
        let subscription = Observable.merge(held, .just(1)).subscribe(onNext: { element in
            log(element)
            if element == 1 {
                isBusy.signal()
                isOwned.wait()
                push(101)
            }
            if element == 2 { push(102) }
        })
        defer { subscription.dispose() }
        isFree.signal()
        ended.wait()

        #expect(log.text == "1 2 101 102")
    }

    @Test func reentrantPushes_fromTwoThreads_keepTheirOrder() {
        let (i, j, k) = (PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>())
        let log = Log()
        let (isBusy, isInner, isFree, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0),
            DispatchSemaphore(value: 0)
        )
        let inner = Observable.merge(k, j).do(onNext: { element in
            if element == 2 {
                isInner.signal()
                isFree.wait()
            }
        })
        let subscription = Observable.merge(inner, i).subscribe(onNext: { element in
            log(element)
            if element == 1 {
                isBusy.signal()
                isInner.wait()
                k.onNext(101)
            }
            if element == 2 { k.onNext(102) }
        })
        defer { subscription.dispose() }
        startThread {
            isBusy.wait()
            j.onNext(2)
            ended.signal()
        }

        i.onNext(1)
        isFree.signal()
        ended.wait()

        #expect(log.text == "1 2 101 102")
    }

    @Test func merge_endOfSourceBehindReentrantPush_comesAfterItsElements() {
        let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
        let log = Log()
        let (isBusy, isLeft) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let subscription = Observable.merge(a, b).subscribe(
            onNext: { element in
                log(element)
                if element == 1 {
                    isBusy.signal()
                    isLeft.wait()
                    a.onCompleted()
                    log("pushed")
                }
            }, onCompleted: { log("|") })
        defer { subscription.dispose() }
        startThread {
            isBusy.wait()
            a.onNext(10)
            a.onNext(11)
            isLeft.signal()
        }

        b.onNext(1)
        b.onCompleted()

        #expect(log.text == "1 pushed 10 11 |")
    }

    @Test func subject_nestedEndWhileElementsWait_deliversThemFirst() {
        let subject = PublishSubject<Int>()
        let log = Log()
        let (isBusy, isLeft) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let subscription = subject.subscribe(
            onNext: { element in
                log(element)
                if element == 1 {
                    isBusy.signal()
                    isLeft.wait()
                    subject.onCompleted()
                }
            }, onCompleted: { log("|") })
        defer { subscription.dispose() }
        startThread {
            isBusy.wait()
            subject.onNext(10)
            isLeft.signal()
        }

        subject.onNext(1)

        #expect(log.text == "1 10 |")
    }
}
