import RxCocoa
import RxSwift
import RxSwiftExt

/// Names of RxSwift 5 and of early versions of RxSwift 6.
enum DeprecatedRows: RowSource {
    @available(*, deprecated)
    static var rows: [Row] {
        [
            Row("static create(_:)", "of a closure that returns nothing", [.throwing]) { rig in
                let hook = rig.hook()
                return Observable<Tracked>.create { (observer: AnyObserver<Tracked>) throws -> Void in
                    try hook()
                    observer.onNext(rig.make())
                }
            },
            Row.sharing("SharedSequence.map(to:)", "", [.delegates, .exact, .survives]) { rig in
                rig.driver().map(to: rig.make())
            },
            Row("PrimitiveSequence.observeOn(_:)", "", [.delegates, .endsItself, .oneEvent]) {
                $0.single().observeOn($0.scheduler)
            },
            Row("PrimitiveSequence.subscribeOn(_:)", "", [.delegates, .endsItself, .oneEvent]) {
                $0.single().subscribeOn($0.scheduler)
            },
            Row("PrimitiveSequence.catchError(_:)", "", [.delegates, .survives, .endsItself, .oneEvent]) { rig in
                let hook = rig.hook()
                return rig.maybe().catchError { _ in
                    hook.quietly()
                    return .empty()
                }
            },
            Row("PrimitiveSequence.retryWhen(_:)", "", [.delegates, .survives, .endsItself, .oneEvent]) { rig in
                let (source, trigger) = (rig.single(), rig.b)
                return source.retryWhen { (errors: Observable<any Error>) in errors.flatMap { _ in trigger } }
            },
            Row("PrimitiveSequence.retryWhen(_:)", "typed", [.delegates, .survives, .endsItself, .oneEvent]) { rig in
                let (source, trigger) = (rig.single(), rig.b)
                return source.retryWhen { (errors: Observable<TrackedError>) in errors.flatMap { _ in trigger } }
            },
            Row("Single.catchErrorJustReturn(_:)", "", [.delegates, .survives, .endsItself, .oneEvent]) { rig in
                rig.single().catchErrorJustReturn(rig.make())
            },
            Row("Maybe.catchErrorJustReturn(_:)", "", [.delegates, .survives, .endsItself, .oneEvent]) { rig in
                rig.maybe().catchErrorJustReturn(rig.make())
            },
            Row("Single.subscribe(onSuccess:onError:onDisposed:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
                let (single, hook) = (rig.single(), rig.hook())
                return Row.Form { probe in
                    single.subscribe(onSuccess: probe.succeed, onError: probe.fail, onDisposed: hook.quietly)
                }
            },
            Row("observeOn(_:)", "", [.exact]) { $0.a.observeOn($0.scheduler) },
            Row("subscribeOn(_:)", "", [.exact]) { $0.a.subscribeOn($0.scheduler) },
            Row("takeUntil(_:)", "", [.endsItself]) { $0.a.takeUntil($0.b) },
            Row("take(_:scheduler:)", "", [.endsItself]) { $0.a.take(.seconds(10), scheduler: $0.scheduler) },
            Row("skipWhile(_:)") { rig in
                let hook = rig.hook()
                return rig.a.skipWhile { element in
                    try hook()
                    return element.value < 1
                }
            },
            Row("elementAt(_:)", "", [.endsItself]) { $0.a.elementAt(1) },
            Row("skipUntil(_:)", "", [.waits]) { $0.a.skipUntil($0.b) },
            Row("takeWhile(_:)", "", [.throwing, .endsItself]) { rig in
                let hook = rig.hook()
                return rig.a.takeWhile { element in
                    try hook()
                    return element.value < 2
                }
            },
            Row("takeUntil(_:predicate:)", "", [.throwing, .endsItself]) { rig in
                let hook = rig.hook()
                return rig.a.takeUntil(.inclusive) { element in
                    try hook()
                    return element.value >= 2
                }
            },
            Row("catchError(_:)", "", [.throwing, .exact, .survives, .prepares]) { rig in
                let hook = rig.hook()
                return rig.a.catchError { _ in
                    try hook()
                    return .empty()
                }
            },
            Row("catchErrorJustReturn(_:)", "", [.exact, .survives]) { rig in rig.a.catchErrorJustReturn(rig.make()) },
            Row("static catchError(_:)", "", [.survives]) { rig in Observable.catchError(rig.sources(2)) },
            Row("retryWhen(_:)", "", [.survives]) { rig in
                let (source, trigger) = (rig.a, rig.b)
                return source.retryWhen { (errors: Observable<any Error>) in errors.flatMap { _ in trigger } }
            },
            Row("retryWhen(_:)", "typed", [.survives]) { rig in
                let (source, trigger) = (rig.a, rig.b)
                return source.retryWhen { (errors: Observable<TrackedError>) in errors.flatMap { _ in trigger } }
            },
        ]
    }
}
