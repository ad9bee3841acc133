import RxSwift

private let doName = "Infallible.do(onNext:afterNext:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)"

extension Table {
    /// An error of the rig's source becomes a completion before it reaches the form.
    static let infallibleRows: [Row] = [
        Row("asInfallible(onErrorJustReturn:)", "", [.exact, .survives]) { rig in
            rig.a.asInfallible(onErrorJustReturn: rig.make())
        },
        Row("asInfallible(onErrorFallbackTo:)", "", [.survives]) { rig in
            let (source, other) = (rig.a, rig.infallible(1))
            return source.asInfallible(onErrorFallbackTo: other)
        },
        Row("asInfallible(onErrorRecover:)", "", [.exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.a.asInfallible { _ in
                hook.quietly()
                return .empty()
            }
        },
        Row("Infallible.subscribe(_:)", "", [.exact, .survives]) { rig in
            let infallible = rig.infallible()
            return Row.Form { probe in infallible.subscribe { probe.on($0.event) } }
        },
        Row("Infallible.subscribe(onNext:onCompleted:onDisposed:)", "", [.exact, .survives]) { rig in
            let (infallible, hook) = (rig.infallible(), rig.hook())
            return Row.Form { probe in
                infallible.subscribe(onNext: probe.next, onCompleted: probe.complete, onDisposed: hook.quietly)
            }
        },
        Row("Infallible.subscribe(with:onNext:onCompleted:onDisposed:)", "", [.exact, .survives]) { rig in
            let (infallible, hook) = (rig.infallible(), rig.hook())
            return Row.Form { probe in
                infallible.subscribe(
                    with: probe, onNext: { $0.next($1) }, onCompleted: { $0.complete() },
                    onDisposed: { _ in hook.quietly() })
            }
        },

        // MARK: Creating
        Row("static Infallible.create(subscribe:)", "", [.exact, .survives]) { rig in
            let (source, hook) = (rig.a, rig.hook())
            return Infallible.create { observer in
                hook.quietly()
                return source.subscribe(
                    onNext: { observer(.next($0)) }, onError: { _ in observer(.completed) },
                    onCompleted: { observer(.completed) })
            }
        },
        Row("static Infallible.of(_:scheduler:)", "", [.delegates]) { Infallible.of($0.make(), $0.make()) },
        Row("static Infallible.from(_:scheduler:)", "array", [.delegates]) { Infallible.from([$0.make(), $0.make()]) },
        Row("static Infallible.from(_:scheduler:)", "sequence", [.delegates]) {
            Infallible.from(AnySequence([$0.make(), $0.make()]))
        },
        Row("static Infallible.just(_:)", "", [.delegates]) { Infallible<Tracked>.just($0.make()) },
        Row("static Infallible.just(_:scheduler:)", "", [.delegates]) {
            Infallible<Tracked>.just($0.make(), scheduler: $0.scheduler)
        },
        Row("static Infallible.empty()", "", [.delegates]) { _ in Infallible<Tracked>.empty() },
        Row("static Infallible.never()", "", [.delegates, .endless]) { _ in Infallible<Tracked>.never() },
        Row("static Infallible.deferred(_:)", "", [.delegates, .exact, .survives]) { rig in
            let (source, hook) = (rig.infallible(), rig.hook())
            return Infallible<Tracked>.deferred {
                hook.quietly()
                return source
            }
        },

        // MARK: One source
        Row(doName, "", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.infallible().do(
                onNext: { _ in hook.quietly() }, afterNext: { _ in hook.quietly() },
                onCompleted: { hook.quietly() }, afterCompleted: { hook.quietly() },
                onSubscribe: { hook.quietly() }, onSubscribed: { hook.quietly() }, onDispose: { hook.quietly() })
        },
        Row("Infallible.map(_:)", "", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.infallible().map { element in
                hook.quietly()
                return element
            }
        },
        Row("Infallible.compactMap(_:)", "", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.infallible().compactMap { element -> Tracked? in
                hook.quietly()
                return element
            }
        },
        Row("Infallible.filter(_:)", "", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.infallible().filter { _ in
                hook.quietly()
                return true
            }
        },
        Row("Infallible.scan(into:accumulator:)", "", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.infallible().scan(into: rig.make()) { state, element in
                hook.quietly()
                state = element
            }
        },
        Row("Infallible.scan(_:accumulator:)", "", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.infallible().scan(rig.make()) { _, element in
                hook.quietly()
                return element
            }
        },
        Row("Infallible.startWith(_:)", "", [.delegates, .survives]) { rig in rig.infallible().startWith(rig.make()) },
        Row("Infallible.withUnretained(_:resultSelector:)", "", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.infallible().withUnretained(rig) { _, element in
                hook.quietly()
                return element
            }
        },
        Row("Infallible.withUnretained(_:)", "", [.delegates, .exact, .survives]) { rig in
            rig.infallible().withUnretained(rig).map { $0.1 }
        },
        Row("Infallible.share(replay:scope:)", "", [.delegates, .exact, .survives]) {
            $0.infallible().share(replay: 1)
        },
        Row("Infallible.debug(_:trimOutput:file:line:function:)", "", [.delegates, .exact, .survives]) {
            $0.infallible().debug("contract", trimOutput: true)
        },
        Row("Infallible.distinctUntilChanged()", "", [.delegates, .exact, .survives]) {
            $0.infallible().distinctUntilChanged()
        },
        Row("Infallible.distinctUntilChanged(at:)", "", [.delegates, .exact, .survives]) {
            $0.infallible().distinctUntilChanged(at: \.value)
        },
        Row("Infallible.distinctUntilChanged(_:)", "key", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.infallible().distinctUntilChanged { (element: Tracked) -> Int in
                hook.quietly()
                return element.value
            }
        },
        Row("Infallible.distinctUntilChanged(_:)", "comparer", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.infallible().distinctUntilChanged { (left: Tracked, right: Tracked) -> Bool in
                hook.quietly()
                return left === right
            }
        },
        Row("Infallible.distinctUntilChanged(_:comparer:)", "", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.infallible().distinctUntilChanged({ $0 }) { left, right in
                hook.quietly()
                return left === right
            }
        },
        Row("Infallible.take(_:)", "", [.delegates, .survives, .endsItself]) { $0.infallible().take(2) },
        Row("Infallible.take(for:scheduler:)", "", [.delegates, .survives, .endsItself]) {
            $0.infallible().take(for: .seconds(10), scheduler: $0.scheduler)
        },
        Row("Infallible.take(until:)", "infallible", [.delegates, .survives, .endsItself]) {
            $0.infallible(0).take(until: $0.infallible(1))
        },
        Row("Infallible.take(until:)", "observable", [.delegates, .survives, .endsItself]) {
            $0.infallible().take(until: $0[1])
        },
        Row("Infallible.take(until:behavior:)", "", [.delegates, .survives, .endsItself]) { rig in
            let hook = rig.hook()
            return rig.infallible().take(until: { element in
                hook.quietly()
                return element.value >= 2
            })
        },
        Row("Infallible.take(while:behavior:)", "", [.delegates, .survives, .endsItself]) { rig in
            let hook = rig.hook()
            return rig.infallible().take(while: { element in
                hook.quietly()
                return element.value < 2
            })
        },
        Row("Infallible.skip(while:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return rig.infallible().skip(while: { element in
                hook.quietly()
                return element.value < 1
            })
        },
        Row("Infallible.skip(until:)", "", [.delegates, .survives, .waits]) { $0.infallible().skip(until: $0[1]) },
        Row("Infallible.throttle(_:latest:scheduler:)", "", [.delegates, .survives]) {
            $0.infallible().throttle(.seconds(1), scheduler: $0.scheduler)
        },
        Row("Infallible.debounce(_:scheduler:)", "", [.delegates, .survives]) {
            $0.infallible().debounce(.seconds(1), scheduler: $0.scheduler)
        },

        // MARK: Several sources
        Row("flatMapLatest(_:)", "to infallibles", [.delegates, .throwing]) { rig in
            let (outer, inner, hook) = (rig.a, rig.infallible(1), rig.hook())
            return outer.flatMapLatest { _ in
                try hook()
                return inner
            }.asObservable()
        },
        Row("Infallible.flatMap(_:)", "", [.delegates, .survives, .multiplies]) { rig in
            let (outer, inner, hook) = (rig.infallible(0), rig.infallible(1), rig.hook())
            return outer.flatMap { _ in
                hook.quietly()
                return inner
            }
        },
        Row("Infallible.flatMapLatest(_:)", "", [.delegates, .survives]) { rig in
            let (outer, inner, hook) = (rig.infallible(0), rig.infallible(1), rig.hook())
            return outer.flatMapLatest { _ in
                hook.quietly()
                return inner
            }
        },
        Row("Infallible.flatMapFirst(_:)", "", [.delegates, .survives]) { rig in
            let (outer, inner, hook) = (rig.infallible(0), rig.infallible(1), rig.hook())
            return outer.flatMapFirst { _ in
                hook.quietly()
                return inner
            }
        },
        Row("Infallible.concatMap(_:)", "", [.delegates, .survives]) { rig in
            let (outer, inner, hook) = (rig.infallible(0), rig.infallible(1), rig.hook())
            return outer.concatMap { _ in
                hook.quietly()
                return inner
            }
        },
        Row("Infallible.concat(_:)", "", [.delegates, .survives]) { $0.infallible(0).concat($0.infallible(1)) },
        Row("static Infallible.concat(_:)", "sequence", [.delegates, .survives]) { rig in
            Infallible.concat(AnySequence((0..<3).map(rig.infallible)))
        },
        Row("static Infallible.concat(_:)", "collection", [.delegates, .survives]) { rig in
            Infallible.concat((0..<3).map(rig.infallible))
        },
        Row("static Infallible.concat(_:)", "variadic", [.delegates, .survives]) {
            Infallible.concat($0.infallible(0), $0.infallible(1))
        },
        Row("static Infallible.merge(_:)", "collection", [.delegates, .exact, .survives]) { rig in
            Infallible.merge(AnyCollection((0..<3).map(rig.infallible)))
        },
        Row("static Infallible.merge(_:)", "array", [.delegates, .exact, .survives]) { rig in
            Infallible.merge((0..<3).map(rig.infallible))
        },
        Row("static Infallible.merge(_:)", "variadic", [.delegates, .exact, .survives]) {
            Infallible.merge($0.infallible(0), $0.infallible(1))
        },
        Row("Infallible.withLatestFrom(_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return rig.infallible(0).withLatestFrom(rig.infallible(1)) { left, right in
                hook.quietly()
                return [left, right]
            }
        },
        Row("Infallible.withLatestFrom(_:)", "", [.delegates, .survives]) {
            $0.infallible(0).withLatestFrom($0.infallible(1))
        },
        Row("static Infallible.combineLatest(_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Infallible.combineLatest((0..<3).map(rig.infallible)) { row in
                hook.quietly()
                return row
            }
        },
        Row("static Infallible.combineLatest(_:)", "", [.delegates, .survives]) { rig in
            Infallible.combineLatest((0..<3).map(rig.infallible))
        },
    ]
}
