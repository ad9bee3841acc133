import RxCocoa
import RxSwiftExt
import TestSupport

extension Table {
    static let extRows: [Row] = [
        Row("count()", "", [.delegates]) { $0.a.count() },
        Row("count(_:)", "", [.delegates, .throwing]) { rig in
            let hook = rig.hook()
            return rig.a.count { _ in
                try hook()
                return true
            }
        },
        Row("toSortedArray(by:)", "", [.delegates, .oneEvent]) { $0.a.toSortedArray { $0.value < $1.value } },
        Row("toSortedArray(ascending:)", "", [.delegates, .oneEvent]) { $0.a.map(\.value).toSortedArray() },
        Row("and()", "", [.delegates, .oneEvent]) { $0.a.map { _ in true }.and() },
        Row("static and(_:)", "collection", [.delegates, .oneEvent]) { rig in
            Observable<Bool>.and(rig.sources(2).map { $0.map { _ in true } })
        },
        Row("static and(_:)", "variadic", [.delegates, .oneEvent]) {
            Observable<Bool>.and($0.a.map { _ in true }, $0.b.map { _ in true })
        },
        Row("static cascade(_:)", "", [.survives]) { rig in Observable<Observable<Tracked>>.cascade(rig.sources(3)) },
        Row("cascade(_:)", "", [.survives]) { $0.a.cascade([$0.b]) },
        Row("merge(with:)", "one", [.delegates, .exact]) { $0.a.merge(with: $0.b) },
        Row("merge(with:)", "several", [.delegates, .exact]) { $0.a.merge(with: [$0.b, $0.c]) },
        Row("zip(with:resultSelector:)", "", [.delegates, .throwing]) { rig in
            let hook = rig.hook()
            return rig.a.zip(with: rig.b) { left, right in
                try hook()
                return [left, right]
            }
        },
        Row("static fromAsync(_:)") { rig in
            let element = rig.make()
            return Observable<Tracked>.fromAsync { done in done(element) }
        },
        Row("static Single.fromAsync(_:)", "", [.oneEvent]) { rig in
            let element = rig.make()
            return Single<Tracked>.fromAsync { (done: (Tracked?, TestError?) -> Void) in done(element, nil) }
        },
        Row("static fromAsync(_:)", "of 1", [.delegates]) { rig in
            let element = rig.make()
            return Observable<Tracked>.fromAsync { (_: Int, done: (Tracked) -> Void) in done(element) }(0)
        },
        Row("static Single.fromAsync(_:)", "of 1", [.delegates, .oneEvent]) { rig in
            let element = rig.make()
            return Single<Tracked>.fromAsync {
                (_: Int, done: (Tracked?, TestError?) -> Void) in done(element, nil)
            }(0)
        },
        Row("static fromAsync(_:)", "of 2", [.delegates]) { rig in
            let element = rig.make()
            return Observable<Tracked>.fromAsync { (_: Int, _: Int, done: (Tracked) -> Void) in done(element) }(0, 0)
        },
        Row("static Single.fromAsync(_:)", "of 2", [.delegates, .oneEvent]) { rig in
            let element = rig.make()
            return Single<Tracked>.fromAsync {
                (_: Int, _: Int, done: (Tracked?, TestError?) -> Void) in done(element, nil)
            }(0, 0)
        },
        Row("static fromAsync(_:)", "of 3", [.delegates]) { rig in
            let element = rig.make()
            return Observable<Tracked>.fromAsync { (_: Int, _: Int, _: Int, done: (Tracked) -> Void) in done(element) }(
                0, 0, 0)
        },
        Row("static Single.fromAsync(_:)", "of 3", [.delegates, .oneEvent]) { rig in
            let element = rig.make()
            return Single<Tracked>.fromAsync {
                (_: Int, _: Int, _: Int, done: (Tracked?, TestError?) -> Void) in done(element, nil)
            }(0, 0, 0)
        },
        Row("static fromAsync(_:)", "of 4", [.delegates]) { rig in
            let element = rig.make()
            return Observable<Tracked>.fromAsync { (_: Int, _: Int, _: Int, _: Int, done: (Tracked) -> Void) in
                done(element)
            }(0, 0, 0, 0)
        },
        Row("static Single.fromAsync(_:)", "of 4", [.delegates, .oneEvent]) { rig in
            let element = rig.make()
            return Single<Tracked>.fromAsync {
                (_: Int, _: Int, _: Int, _: Int, done: (Tracked?, TestError?) -> Void) in done(element, nil)
            }(0, 0, 0, 0)
        },
        Row("static fromAsync(_:)", "of 5", [.delegates]) { rig in
            let element = rig.make()
            return Observable<Tracked>.fromAsync { (_: Int, _: Int, _: Int, _: Int, _: Int, done: (Tracked) -> Void) in
                done(element)
            }(
                0, 0, 0, 0, 0)
        },
        Row("static Single.fromAsync(_:)", "of 5", [.delegates, .oneEvent]) { rig in
            let element = rig.make()
            return Single<Tracked>.fromAsync {
                (_: Int, _: Int, _: Int, _: Int, _: Int, done: (Tracked?, TestError?) -> Void) in done(element, nil)
            }(0, 0, 0, 0, 0)
        },
        Row("static fromAsync(_:)", "of 6", [.delegates]) { rig in
            let element = rig.make()
            return Observable<Tracked>.fromAsync {
                (_: Int, _: Int, _: Int, _: Int, _: Int, _: Int, done: (Tracked) -> Void) in
                done(element)
            }(0, 0, 0, 0, 0, 0)
        },
        Row("static Single.fromAsync(_:)", "of 6", [.delegates, .oneEvent]) { rig in
            let element = rig.make()
            return Single<Tracked>.fromAsync {
                (_: Int, _: Int, _: Int, _: Int, _: Int, _: Int, done: (Tracked?, TestError?) -> Void) in
                done(element, nil)
            }(0, 0, 0, 0, 0, 0)
        },
        Row("static fromAsync(_:)", "of 7", [.delegates]) { rig in
            let element = rig.make()
            return Observable<Tracked>.fromAsync {
                (_: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, done: (Tracked) -> Void) in
                done(element)
            }(0, 0, 0, 0, 0, 0, 0)
        },
        Row("static Single.fromAsync(_:)", "of 7", [.delegates, .oneEvent]) { rig in
            let element = rig.make()
            return Single<Tracked>.fromAsync {
                (_: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, done: (Tracked?, TestError?) -> Void) in
                done(element, nil)
            }(0, 0, 0, 0, 0, 0, 0)
        },
        Row("static fromAsync(_:)", "of 8", [.delegates]) { rig in
            let element = rig.make()
            return Observable<Tracked>.fromAsync {
                (_: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, done: (Tracked) -> Void) in
                done(element)
            }(0, 0, 0, 0, 0, 0, 0, 0)
        },
        Row("static Single.fromAsync(_:)", "of 8", [.delegates, .oneEvent]) { rig in
            let element = rig.make()
            return Single<Tracked>.fromAsync {
                (_: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, done: (Tracked?, TestError?) -> Void)
                in done(element, nil)
            }(0, 0, 0, 0, 0, 0, 0, 0)
        },
        Row("static fromAsync(_:)", "of 9", [.delegates]) { rig in
            let element = rig.make()
            return Observable<Tracked>.fromAsync {
                (_: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, done: (Tracked) -> Void) in
                done(element)
            }(0, 0, 0, 0, 0, 0, 0, 0, 0)
        },
        Row("static Single.fromAsync(_:)", "of 9", [.delegates, .oneEvent]) { rig in
            let element = rig.make()
            return Single<Tracked>.fromAsync {
                (
                    _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int,
                    done: (Tracked?, TestError?) -> Void
                ) in
                done(element, nil)
            }(0, 0, 0, 0, 0, 0, 0, 0, 0)
        },
        Row("static fromAsync(_:)", "of 10", [.delegates]) { rig in
            let element = rig.make()
            return Observable<Tracked>.fromAsync {
                (
                    _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int,
                    done: (Tracked) -> Void
                ) in done(element)
            }(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        },
        Row("static Single.fromAsync(_:)", "of 10", [.delegates, .oneEvent]) { rig in
            let element = rig.make()
            return Single<Tracked>.fromAsync {
                (
                    _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int, _: Int,
                    done: (Tracked?, TestError?) -> Void
                ) in
                done(element, nil)
            }(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        },
        Row("static once(_:)") { Observable.once($0.make()) },
        Row("catchErrorJustComplete()", "", [.delegates, .exact, .survives]) { $0.a.catchErrorJustComplete() },
        Row("ignoreErrors()", "", [.delegates, .survives, .retries]) { $0.a.ignoreErrors() },
        Row("ignoreErrors(_:)", "", [.delegates]) { rig in
            let hook = rig.hook()
            return rig.a.ignoreErrors { _ in
                hook.quietly()
                return false
            }
        },
        Row("retry(_:scheduler:shouldRetry:)", "", [.survives]) {
            $0.a.retry(.delayed(maxCount: 2, time: 1), scheduler: $0.scheduler)
        },
        Row("retry(backoff:scheduler:using:shouldRetry:)", "", [.survives]) { rig in
            let backoff = ExponentialBackoff(maxCount: 2, initial: .seconds(1), limit: .seconds(4))
            return rig.a.retry(backoff: backoff, scheduler: rig.scheduler)
        },
        Row("repeatWithBehavior(_:scheduler:shouldRepeat:)") {
            $0.a.repeatWithBehavior(.immediate(maxCount: 1), scheduler: $0.scheduler)
        },
        Row("distinct()", "hashable", [.exact]) { $0.a.map(\.value).distinct() },
        Row("distinct()", "equatable", [.exact]) { $0.a.distinct() },
        Row("distinct(_:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.distinct { _ in
                try hook()
                return false
            }
        },
        Row("ignore(_:)", "variadic", [.delegates, .exact]) { rig in rig.a.map(\.value).ignore(-1) },
        Row("ignore(_:)", "sequence", [.delegates, .exact]) { rig in rig.a.map(\.value).ignore([-1]) },
        Row("ignoreWhen(_:)", "", [.delegates, .throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.ignoreWhen { _ in
                try hook()
                return false
            }
        },
        Row("ofType(_:)", "", [.delegates, .exact]) { $0.a.ofType(Tracked.self) },
        Row("partition(_:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            let (matches, others) = rig.a.partition { element in
                try hook()
                return element.value % 2 == 0
            }
            return matches.merge(with: others)
        },
        Row("pausable(_:)", "", [.delegates]) { $0.a.pausable($0.b.map { _ in true }) },
        Row("pausableBuffered(_:limit:flushOnCompleted:flushOnError:)") { rig in
            let (source, pauser) = (rig.a, rig.b)
            return source.pausableBuffered(pauser.map { $0.value % 2 == 0 }, limit: 2)
        },
        Row("bufferWithTrigger(_:)") { $0.a.bufferWithTrigger($0.b) },
        Row("filterMap(_:)", "", [.delegates, .throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.filterMap { element -> FilterMap<Tracked> in
                try hook()
                return .map(element)
            }
        },
        Row("mapAt(_:)", "", [.delegates, .exact]) { $0.a.mapAt(\.value) },
        Row("mapMany(_:)", "", [.delegates, .throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.map { [$0] }.mapMany { element in
                try hook()
                return element
            }
        },
        Row("mapTo(_:)", "", [.delegates, .exact]) { rig in rig.a.mapTo(rig.make()) },
        Row("Single.mapTo(_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in rig.single().mapTo(rig.make()) },
        Row("Maybe.mapTo(_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in rig.maybe().mapTo(rig.make()) },
        Row("elements()", "", [.delegates, .exact, .survives]) { $0.a.map { Event.next($0) }.elements() },
        Row("errors()", "", [.delegates]) { $0.a.map { _ in Event<Int>.error(TestError.b) }.errors() },
        Row("not()", "", [.delegates, .exact]) { $0.a.map { _ in true }.not() },
        Row("nwise(_:)") { $0.a.nwise(3).map { $0.last } },
        Row("pairwise()") { $0.a.pairwise() },
        Row("unwrap()", "", [.delegates, .exact]) { $0.a.map { Optional($0) }.unwrap() },
        Row("apply(_:)", "", [.delegates, .exact]) { $0.a.apply { $0.map { $0 } } },
        Row("PrimitiveSequence.apply(_:)", "", [.delegates, .endsItself, .oneEvent]) {
            $0.single().apply { $0.map { $0 } }
        },
        Row.sharing("SharedSequence.mapTo(_:)", "", [.delegates, .exact, .survives]) { rig in
            rig.driver().mapTo(rig.make())
        },
        Row.sharing("SharedSequence.not()", "", [.delegates, .exact, .survives]) {
            $0.driver().map { _ in true }.not()
        },
        Row.sharing("SharedSequence.unwrap()", "", [.delegates, .exact, .survives]) {
            $0.driver().map { Optional($0) }.unwrap()
        },
        Row.sharing("SharedSequence.distinct()", "hashable", [.delegates, .exact, .survives]) {
            $0.driver().map(\.value).distinct()
        },
        Row.sharing("SharedSequence.distinct()", "equatable", [.delegates, .exact, .survives]) {
            $0.driver().distinct()
        },
        Row.sharing("SharedSequence.distinct(_:)", "", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.driver().distinct { _ in
                hook.quietly()
                return false
            }
        },
        Row.sharing("SharedSequence.partition(_:)", "", [.delegates, .survives]) {
            $0.driver().partition { $0.value % 2 == 0 }.matches
        },
        Row("subscribe(weak:_:)", "", [.exact]) { rig in
            let source = rig.a
            return Row.Form { probe in source.subscribe(weak: probe) { probe in { probe.on($0) } } }
        },
        Row("subscribe(weak:onNext:onError:onCompleted:onDisposed:)", "", [.exact]) { rig in
            let source = rig.a
            return Row.Form { probe in
                source.subscribe(
                    weak: probe, onNext: { $0.next }, onError: { $0.fail }, onCompleted: { $0.complete },
                    onDisposed: { _ in {} })
            }
        },
        Row("subscribeNext(weak:_:)", "", [.exact, .endless, .survives]) { rig in
            let source = rig.infallible().asObservable()
            return Row.Form { probe in source.subscribeNext(weak: probe) { $0.next } }
        },
        Row("subscribeError(weak:_:)", "", [.delegates, .endless]) { rig in
            let source = rig.a
            return Row.Form { probe in source.subscribeError(weak: probe) { $0.fail } }
        },
        Row("subscribeCompleted(weak:_:)", "", [.delegates, .survives]) { rig in
            let source = rig.infallible().asObservable()
            return Row.Form { probe in source.subscribeCompleted(weak: probe) { $0.complete } }
        },
    ]
}
