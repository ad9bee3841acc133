import RxSwift

private let doSingle = "Single.do(onSuccess:afterSuccess:onError:afterError:onSubscribe:onSubscribed:onDispose:)"
private let doMaybe =
    "Maybe.do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)"
private let doCompletable =
    "Completable.do(onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)"

extension Table {
    static let traitConversionRows: [Row] = [
        Row("asSingle()", "", [.endsItself, .oneEvent]) { $0.a.take(1).asSingle() },
        Row("asSingle()", "of too many", [.endsItself, .fails]) { $0.a.asSingle() },
        Row("asMaybe()", "", [.endsItself, .oneEvent]) { $0.a.take(1).asMaybe() },
        Row("asMaybe()", "of too many", [.endsItself, .fails]) { $0.a.asMaybe() },
        Row("asCompletable()") { $0.a.ignoreElements().asCompletable() },
        Row("Single.subscribe(_:)", "", [.endsItself, .oneEvent]) { rig in
            let single = rig.single()
            return Row.Form { probe in
                single.subscribe { result in
                    switch result {
                    case .success(let element): probe.succeed(element)
                    case .failure(let error): probe.fail(error)
                    }
                }
            }
        },
        Row("Single.subscribe(onSuccess:onFailure:onDisposed:)", "", [.endsItself, .oneEvent]) { rig in
            let (single, hook) = (rig.single(), rig.hook())
            return Row.Form { probe in
                single.subscribe(onSuccess: probe.succeed, onFailure: probe.fail, onDisposed: hook.quietly)
            }
        },
        Row("Single.subscribe(with:onSuccess:onFailure:onDisposed:)", "", [.endsItself, .oneEvent]) { rig in
            let (single, hook) = (rig.single(), rig.hook())
            return Row.Form { probe in
                single.subscribe(
                    with: probe, onSuccess: { $0.succeed($1) }, onFailure: { $0.fail($1) },
                    onDisposed: { _ in hook.quietly() })
            }
        },
        Row("Maybe.subscribe(_:)", "", [.endsItself, .oneEvent]) { rig in
            let maybe = rig.maybe()
            return Row.Form { probe in
                maybe.subscribe { event in
                    switch event {
                    case .success(let element): probe.succeed(element)
                    case .error(let error): probe.fail(error)
                    case .completed: probe.complete()
                    }
                }
            }
        },
        Row("Maybe.subscribe(onSuccess:onError:onCompleted:onDisposed:)", "", [.endsItself, .oneEvent]) { rig in
            let (maybe, hook) = (rig.maybe(), rig.hook())
            return Row.Form { probe in
                maybe.subscribe(
                    onSuccess: probe.succeed, onError: probe.fail, onCompleted: probe.complete, onDisposed: hook.quietly
                )
            }
        },
        Row("Maybe.subscribe(with:onSuccess:onError:onCompleted:onDisposed:)", "", [.endsItself, .oneEvent]) { rig in
            let (maybe, hook) = (rig.maybe(), rig.hook())
            return Row.Form { probe in
                maybe.subscribe(
                    with: probe, onSuccess: { $0.succeed($1) }, onError: { $0.fail($1) },
                    onCompleted: { $0.complete() },
                    onDisposed: { _ in hook.quietly() })
            }
        },
        Row("Completable.subscribe(_:)") { rig in
            let completable = rig.completable()
            return Row.Form { probe in
                completable.subscribe { event in
                    switch event {
                    case .error(let error): probe.fail(error)
                    case .completed: probe.complete()
                    }
                }
            }
        },
        Row("Completable.subscribe(onCompleted:onError:onDisposed:)") { rig in
            let (completable, hook) = (rig.completable(), rig.hook())
            return Row.Form { probe in
                completable.subscribe(onCompleted: probe.complete, onError: probe.fail, onDisposed: hook.quietly)
            }
        },
        Row("Completable.subscribe(with:onCompleted:onError:onDisposed:)") { rig in
            let (completable, hook) = (rig.completable(), rig.hook())
            return Row.Form { probe in
                completable.subscribe(
                    with: probe, onCompleted: { $0.complete() }, onError: { $0.fail($1) },
                    onDisposed: { _ in hook.quietly() })
            }
        },
    ]

    static let singleRows: [Row] = [
        Row("static Single.create(subscribe:)", "", [.endsItself, .oneEvent]) { rig in
            let (source, hook) = (rig.a, rig.hook())
            return Single.create { observer in
                hook.quietly()
                return source.subscribe(onNext: { observer(.success($0)) }, onError: { observer(.failure($0)) })
            }
        },
        Row("static Single.just(_:)", "", [.delegates]) { Single.just($0.make()) },
        Row("static Single.just(_:scheduler:)", "", [.delegates]) { Single.just($0.make(), scheduler: $0.scheduler) },
        Row("static Single.error(_:)", "", [.delegates, .fails]) {
            Single<Tracked>.error(TrackedError(payload: $0.make()))
        },
        Row("static Single.never()", "", [.delegates, .endless]) { _ in Single<Tracked>.never() },
        Row(doSingle, "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return rig.single().do(onSuccess: { _ in try hook() })
        },
        Row(doSingle, "all", [.delegates, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return rig.single().do(
                onSuccess: { _ in hook.quietly() }, afterSuccess: { _ in hook.quietly() },
                onError: { _ in hook.quietly() }, afterError: { _ in hook.quietly() },
                onSubscribe: { hook.quietly() }, onSubscribed: { hook.quietly() }, onDispose: { hook.quietly() })
        },
        Row("Single.filter(_:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return rig.single().filter { _ in
                try hook()
                return true
            }
        },
        Row("Single.map(_:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return rig.single().map { element in
                try hook()
                return element
            }
        },
        Row("Single.compactMap(_:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return rig.single().compactMap { element -> Tracked? in
                try hook()
                return element
            }
        },
        Row("Single.flatMap(_:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let (outer, inner, hook) = (rig.single(0), rig.single(1), rig.hook())
            return outer.flatMap { _ in
                try hook()
                return inner
            }
        },
        Row("Single.flatMapMaybe(_:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let (outer, inner, hook) = (rig.single(0), rig.maybe(1), rig.hook())
            return outer.flatMapMaybe { _ in
                try hook()
                return inner
            }
        },
        Row("Single.flatMapCompletable(_:)", "", [.delegates, .throwing, .survives, .endsItself]) { rig in
            let (outer, inner, hook) = (rig.single(0), rig.completable(1), rig.hook())
            return outer.flatMapCompletable { _ in
                try hook()
                return inner
            }
        },
        Row("static Single.zip(_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            Single.zip((0..<3).map(rig.single))
        },
        Row("static Single.zip(_:)", "of none") { _ in Single.zip([Single<Tracked>]()) },
        Row("static Single.zip(_:resultSelector:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return Single.zip((0..<3).map(rig.single)) { row in
                try hook()
                return row
            }
        },
        Row("Single.catchAndReturn(_:)", "", [.delegates, .survives, .endsItself, .oneEvent]) { rig in
            rig.single().catchAndReturn(rig.make())
        },
        Row("Single.asMaybe()", "", [.delegates, .endsItself, .oneEvent]) { $0.single().asMaybe() },
        Row("Single.asCompletable()", "", [.delegates, .endsItself]) { $0.single().asCompletable() },
    ]

    static let maybeRows: [Row] = [
        Row("static Maybe.create(subscribe:)", "", [.endsItself, .oneEvent]) { rig in
            let (source, hook) = (rig.a, rig.hook())
            return Maybe.create { observer in
                hook.quietly()
                return source.subscribe(
                    onNext: { observer(.success($0)) }, onError: { observer(.error($0)) },
                    onCompleted: { observer(.completed) })
            }
        },
        Row("static Maybe.just(_:)", "", [.delegates]) { Maybe.just($0.make()) },
        Row("static Maybe.just(_:scheduler:)", "", [.delegates]) { Maybe.just($0.make(), scheduler: $0.scheduler) },
        Row("static Maybe.error(_:)", "", [.delegates, .fails]) {
            Maybe<Tracked>.error(TrackedError(payload: $0.make()))
        },
        Row("static Maybe.never()", "", [.delegates, .endless]) { _ in Maybe<Tracked>.never() },
        Row("static Maybe.empty()", "", [.delegates]) { _ in Maybe<Tracked>.empty() },
        Row(doMaybe, "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return rig.maybe().do(onNext: { _ in try hook() })
        },
        Row(doMaybe, "all", [.delegates, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return rig.maybe().do(
                onNext: { _ in hook.quietly() }, afterNext: { _ in hook.quietly() },
                onError: { _ in hook.quietly() }, afterError: { _ in hook.quietly() },
                onCompleted: { hook.quietly() }, afterCompleted: { hook.quietly() },
                onSubscribe: { hook.quietly() }, onSubscribed: { hook.quietly() }, onDispose: { hook.quietly() })
        },
        Row("Maybe.filter(_:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return rig.maybe().filter { _ in
                try hook()
                return true
            }
        },
        Row("Maybe.map(_:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return rig.maybe().map { element in
                try hook()
                return element
            }
        },
        Row("Maybe.compactMap(_:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return rig.maybe().compactMap { element -> Tracked? in
                try hook()
                return element
            }
        },
        Row("Maybe.flatMap(_:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let (outer, inner, hook) = (rig.maybe(0), rig.maybe(1), rig.hook())
            return outer.flatMap { _ in
                try hook()
                return inner
            }
        },
        Row("Maybe.ifEmpty(default:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            rig.a.filter { _ in false }.asMaybe().ifEmpty(default: rig.make())
        },
        Row("Maybe.ifEmpty(switchTo:)", "maybe", [.delegates, .oneEvent]) { rig in
            let (source, other) = (rig.a, rig.maybe(1))
            return source.filter { _ in false }.asMaybe().ifEmpty(switchTo: other)
        },
        Row("Maybe.ifEmpty(switchTo:)", "single", [.delegates, .oneEvent, .fails]) { rig in
            let (source, other) = (rig.a, rig.single(1))
            return source.filter { _ in false }.asMaybe().ifEmpty(switchTo: other)
        },
        Row("Maybe.catchAndReturn(_:)", "", [.delegates, .survives, .endsItself, .oneEvent]) { rig in
            rig.maybe().catchAndReturn(rig.make())
        },
    ]

    static let completableRows: [Row] = [
        Row("static Completable.create(subscribe:)") { rig in
            let (source, hook) = (rig.a, rig.hook())
            return Completable.create { observer in
                hook.quietly()
                return source.subscribe(onError: { observer(.error($0)) }, onCompleted: { observer(.completed) })
            }
        },
        Row("static Completable.error(_:)", "", [.delegates, .fails]) {
            Completable.error(TrackedError(payload: $0.make()))
        },
        Row("static Completable.never()", "", [.delegates, .endless]) { _ in Completable.never() },
        Row("static Completable.empty()", "", [.delegates]) { _ in Completable.empty() },
        Row(doCompletable, "", [.delegates, .throwing]) { rig in
            let hook = rig.hook()
            return rig.completable().do(onCompleted: { try hook() })
        },
        Row(doCompletable, "all", [.delegates]) { rig in
            let hook = rig.hook()
            return rig.completable().do(
                onError: { _ in hook.quietly() }, afterError: { _ in hook.quietly() },
                onCompleted: { hook.quietly() }, afterCompleted: { hook.quietly() },
                onSubscribe: { hook.quietly() }, onSubscribed: { hook.quietly() }, onDispose: { hook.quietly() })
        },
        Row("Completable.concat(_:)", "", [.delegates]) { $0.completable(0).concat($0.completable(1)) },
        Row("static Completable.concat(_:)", "sequence", [.delegates]) { rig in
            Completable.concat(AnySequence((0..<3).map(rig.completable)))
        },
        Row("static Completable.concat(_:)", "collection", [.delegates]) { rig in
            Completable.concat((0..<3).map(rig.completable))
        },
        Row("static Completable.concat(_:)", "variadic", [.delegates]) {
            Completable.concat($0.completable(0), $0.completable(1))
        },
        Row("static Completable.zip(_:)", "collection", [.delegates]) { rig in
            Completable.zip(AnyCollection((0..<3).map(rig.completable)))
        },
        Row("static Completable.zip(_:)", "array", [.delegates]) { rig in Completable.zip((0..<3).map(rig.completable))
        },
        Row("static Completable.zip(_:)", "variadic", [.delegates]) {
            Completable.zip($0.completable(0), $0.completable(1))
        },
        Row("Completable.andThen(_:)", "single", [.oneEvent, .fails]) { $0.completable(0).andThen($0.single(1)) },
        Row("Completable.andThen(_:)", "maybe", [.oneEvent]) { $0.completable(0).andThen($0.maybe(1)) },
        Row("Completable.andThen(_:)", "completable") { $0.completable(0).andThen($0.completable(1)) },
        Row("Completable.andThen(_:)", "observable") { $0.completable(0).andThen($0[1]) },
    ]

    static let primitiveSequenceRows: [Row] = [
        Row("static PrimitiveSequence.deferred(_:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let (single, hook) = (rig.single(), rig.hook())
            return Single.deferred {
                try hook()
                return single
            }
        },
        Row(
            "static PrimitiveSequence.using(_:primitiveSequenceFactory:)", "",
            [.delegates, .throwing, .endsItself, .oneEvent]
        ) { rig in
            let (single, hook) = (rig.single(), rig.hook())
            return Single.using({ CompositeDisposable(disposables: [Disposables.create { hook.quietly() }]) }) { _ in
                try hook()
                return single
            }
        },
        Row("static PrimitiveSequence.timer(_:scheduler:)", "", [.delegates, .oneEvent]) {
            Single<Int>.timer(.seconds(1), scheduler: $0.scheduler)
        },
        Row("PrimitiveSequence.delay(_:scheduler:)", "", [.delegates, .survives, .endsItself, .oneEvent]) {
            $0.single().delay(.seconds(1), scheduler: $0.scheduler)
        },
        Row("PrimitiveSequence.delaySubscription(_:scheduler:)", "at once", [.delegates, .endsItself, .oneEvent]) {
            $0.single().delaySubscription(.seconds(0), scheduler: $0.scheduler)
        },
        Row("PrimitiveSequence.observe(on:)", "", [.delegates, .endsItself, .oneEvent]) {
            $0.single().observe(on: $0.scheduler)
        },
        Row("PrimitiveSequence.subscribe(on:)", "", [.delegates, .endsItself, .oneEvent]) {
            $0.single().subscribe(on: $0.scheduler)
        },
        Row("PrimitiveSequence.catch(_:)", "", [.delegates, .survives, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return rig.maybe().catch { _ in
                hook.quietly()
                return .empty()
            }
        },
        Row("PrimitiveSequence.retry(_:)", "", [.delegates, .survives, .retries, .endsItself, .oneEvent]) {
            $0.single().retry(2)
        },
        Row("PrimitiveSequence.retry(when:)", "", [.delegates, .survives, .endsItself, .oneEvent]) { rig in
            let (source, trigger) = (rig.single(), rig.b)
            return source.retry { (errors: Observable<any Error>) in errors.flatMap { _ in trigger } }
        },
        Row("PrimitiveSequence.retry(when:)", "typed", [.delegates, .survives, .endsItself, .oneEvent]) { rig in
            let (source, trigger) = (rig.single(), rig.b)
            return source.retry { (errors: Observable<TrackedError>) in errors.flatMap { _ in trigger } }
        },
        Row("PrimitiveSequence.debug(_:trimOutput:file:line:function:)", "", [.delegates, .endsItself, .oneEvent]) {
            $0.single().debug("contract", trimOutput: true)
        },
        Row("PrimitiveSequence.timeout(_:scheduler:)", "", [.delegates, .endsItself, .oneEvent]) {
            $0.single().timeout(.seconds(1000), scheduler: $0.scheduler)
        },
        Row("PrimitiveSequence.timeout(_:other:scheduler:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            rig.single().timeout(.seconds(1000), other: .just(rig.make()), scheduler: rig.scheduler)
        },
    ]
}

extension Rig {
    func single(_ index: Int = 0) -> Single<Tracked> { self[index].take(1).asSingle() }
    func maybe(_ index: Int = 0) -> Maybe<Tracked> { self[index].take(1).asMaybe() }
    func completable(_ index: Int = 0) -> Completable { self[index].ignoreElements().asCompletable() }
    func infallible(_ index: Int = 0) -> Infallible<Tracked> { self[index].asInfallible { _ in .empty() } }
}
