import RxCocoa
import RxSwift

extension Table {
    static let sharingFormRows: [Row] = [
        Row.sharing("asDriver(onErrorJustReturn:)", "", [.exact, .survives]) { rig in
            rig.a.asDriver(onErrorJustReturn: rig.make())
        },
        Row.sharing("asDriver(onErrorDriveWith:)", "", [.survives]) { rig in
            let (source, other) = (rig.a, rig.driver(1))
            return source.asDriver(onErrorDriveWith: other)
        },
        Row.sharing("asDriver(onErrorRecover:)", "", [.exact, .survives]) { rig in
            let (hook, nothing) = (rig.hook(), Driver<Tracked>.empty())
            return rig.a.asDriver { _ in
                hook.quietly()
                return nothing
            }
        },
        Row.sharing("asSignal(onErrorJustReturn:)", "", [.exact, .survives]) { rig in
            rig.a.asSignal(onErrorJustReturn: rig.make())
        },
        Row.sharing("asSignal(onErrorSignalWith:)", "", [.survives]) { rig in
            let (source, other) = (rig.a, rig.signal(1))
            return source.asSignal(onErrorSignalWith: other)
        },
        Row.sharing("asSignal(onErrorRecover:)", "", [.exact, .survives]) { rig in
            let (hook, nothing) = (rig.hook(), Signal<Tracked>.empty())
            return rig.a.asSignal { _ in
                hook.quietly()
                return nothing
            }
        },
        Row.sharing("asSharedSequence(sharingStrategy:onErrorJustReturn:)", "", [.exact, .survives]) { rig in
            rig.a.asSharedSequence(sharingStrategy: DriverSharingStrategy.self, onErrorJustReturn: rig.make())
        },
        Row.sharing("asSharedSequence(sharingStrategy:onErrorDriveWith:)", "", [.exact, .survives]) {
            $0.a.asSharedSequence(sharingStrategy: SignalSharingStrategy.self, onErrorDriveWith: .empty())
        },
        Row.sharing("asSharedSequence(sharingStrategy:onErrorRecover:)", "", [.exact, .survives]) {
            let nothing = Signal<Tracked>.empty()
            return $0.a.asSharedSequence(sharingStrategy: SignalSharingStrategy.self) { _ in nothing }
        },
        Row.sharing("Infallible.asDriver()", "", [.exact, .survives]) { $0.infallible().asDriver() },
        Row.sharing("Driver.drive(onNext:onCompleted:onDisposed:)", "", [.exact, .survives]) { rig in
            let (driver, hook) = (rig.driver(), rig.hook())
            return Row.Form { probe in
                driver.drive(onNext: probe.next, onCompleted: probe.complete, onDisposed: hook.quietly)
            }
        },
        Row.sharing("Driver.drive(with:onNext:onCompleted:onDisposed:)", "", [.exact, .survives]) { rig in
            let (driver, hook) = (rig.driver(), rig.hook())
            return Row.Form { probe in
                driver.drive(
                    with: probe, onNext: { $0.next($1) }, onCompleted: { $0.complete() },
                    onDisposed: { _ in hook.quietly() })
            }
        },
        Row.sharing("Driver.drive()", "", [.delegates, .exact, .survives]) { rig in
            let driver = rig.driver()
            return Row.Form { probe in
                Disposables.create(driver.asObservable().subscribe { probe.on($0) }, driver.drive())
            }
        },
        Row.sharing("Driver.drive(_:)", "observer", [.exact, .survives]) { rig in
            let driver = rig.driver()
            return Row.Form { probe in driver.drive(AnyObserver<Tracked> { probe.on($0) }) }
        },
        Row.sharing("Driver.drive(_:)", "observer, optional", [.exact, .survives]) { rig in
            let driver = rig.driver()
            return Row.Form { probe in driver.drive(AnyObserver<Tracked?> { probe.on($0) }) }
        },
        Row.sharing("Driver.drive(_:)", "behavior", [.shared, .retains, .endless, .survives]) { rig in
            let (relay, driver) = (BehaviorRelay<Tracked>(value: rig.make()), rig.driver())
            return Row.Form(relay) { driver.drive(relay) }
        },
        Row.sharing("Driver.drive(_:)", "behavior, optional", [.shared, .retains, .endless, .survives]) { rig in
            let (relay, driver) = (BehaviorRelay<Tracked?>(value: nil), rig.driver())
            return Row.Form(relay) { driver.drive(relay) }
        },
        Row.sharing("Driver.drive(_:)", "replay", [.shared, .retains, .endless, .survives]) { rig in
            let (relay, driver) = (ReplayRelay<Tracked>.create(bufferSize: 2), rig.driver())
            return Row.Form(relay) { driver.drive(relay) }
        },
        Row.sharing("Driver.drive(_:)", "replay, optional", [.shared, .retains, .endless, .survives]) { rig in
            let (relay, driver) = (ReplayRelay<Tracked?>.create(bufferSize: 2), rig.driver())
            return Row.Form(relay) { driver.drive(relay) }
        },
        Row.sharing("Signal.emit(onNext:onCompleted:onDisposed:)", "", [.exact, .survives]) { rig in
            let (signal, hook) = (rig.signal(), rig.hook())
            return Row.Form { probe in
                signal.emit(onNext: probe.next, onCompleted: probe.complete, onDisposed: hook.quietly)
            }
        },
        Row.sharing("Signal.emit(with:onNext:onCompleted:onDisposed:)", "", [.exact, .survives]) { rig in
            let (signal, hook) = (rig.signal(), rig.hook())
            return Row.Form { probe in
                signal.emit(
                    with: probe, onNext: { $0.next($1) }, onCompleted: { $0.complete() },
                    onDisposed: { _ in hook.quietly() })
            }
        },
        Row.sharing("Signal.emit()", "", [.delegates, .exact, .survives]) { rig in
            let signal = rig.signal()
            return Row.Form { probe in
                Disposables.create(signal.asObservable().subscribe { probe.on($0) }, signal.emit())
            }
        },
        Row.sharing("Signal.emit(to:)", "observer", [.exact, .survives]) { rig in
            let signal = rig.signal()
            return Row.Form { probe in signal.emit(to: AnyObserver<Tracked> { probe.on($0) }) }
        },
        Row.sharing("Signal.emit(to:)", "observer, optional", [.exact, .survives]) { rig in
            let signal = rig.signal()
            return Row.Form { probe in signal.emit(to: AnyObserver<Tracked?> { probe.on($0) }) }
        },
        Row.sharing("Signal.emit(to:)", "behavior", [.shared, .retains, .endless, .survives]) { rig in
            let (relay, signal) = (BehaviorRelay<Tracked>(value: rig.make()), rig.signal())
            return Row.Form(relay) { signal.emit(to: relay) }
        },
        Row.sharing("Signal.emit(to:)", "behavior, optional", [.shared, .retains, .endless, .survives]) { rig in
            let (relay, signal) = (BehaviorRelay<Tracked?>(value: nil), rig.signal())
            return Row.Form(relay) { signal.emit(to: relay) }
        },
        Row.sharing("Signal.emit(to:)", "publish", [.shared, .endless, .survives]) { rig in
            let (relay, signal) = (PublishRelay<Tracked>(), rig.signal())
            return Row.Form(relay) { signal.emit(to: relay) }
        },
        Row.sharing("Signal.emit(to:)", "publish, optional", [.shared, .endless, .survives]) { rig in
            let (relay, signal) = (PublishRelay<Tracked?>(), rig.signal())
            return Row.Form(relay) { signal.emit(to: relay) }
        },
        Row.sharing("Signal.emit(to:)", "replay", [.shared, .retains, .endless, .survives]) { rig in
            let (relay, signal) = (ReplayRelay<Tracked>.create(bufferSize: 2), rig.signal())
            return Row.Form(relay) { signal.emit(to: relay) }
        },
        Row.sharing("Signal.emit(to:)", "replay, optional", [.shared, .retains, .endless, .survives]) { rig in
            let (relay, signal) = (ReplayRelay<Tracked?>.create(bufferSize: 2), rig.signal())
            return Row.Form(relay) { signal.emit(to: relay) }
        },
        Row.sharing("Driver.drive(_:)", "transformation", [.delegates, .exact, .survives]) { rig in
            let driver = rig.driver()
            return Row.Form { probe in driver.drive { $0.subscribe { probe.on($0) } } }
        },
        Row.sharing("Driver.drive(_:curriedArgument:)", "", [.delegates, .exact, .survives]) { rig in
            let driver = rig.driver()
            return Row.Form { probe in
                driver.drive(
                    { source in { (probe: Probe) in source.subscribe { probe.on($0) } } }, curriedArgument: probe)
            }
        },
    ]

    /// These forms delegate to the observable's operator and share the result.
    static let sharedSequenceRows: [Row] = [
        Row.sharing("SharedSequence.map(_:)", "", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.driver().map { element in
                hook.quietly()
                return element
            }
        },
        Row.sharing("SharedSequence.compactMap(_:)", "", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.driver().compactMap { element -> Tracked? in
                hook.quietly()
                return element
            }
        },
        Row.sharing("SharedSequence.filter(_:)", "", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.driver().filter { _ in
                hook.quietly()
                return true
            }
        },
        Row.sharing("SharedSequence.skip(_:)", "", [.delegates, .survives]) { $0.driver().skip(1) },
        Row.sharing("SharedSequence.startWith(_:)", "", [.delegates, .survives]) { rig in
            rig.driver().startWith(rig.make())
        },
        Row.sharing("SharedSequence.scan(_:accumulator:)", "", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.driver().scan(rig.make()) { _, element in
                hook.quietly()
                return element
            }
        },
        Row.sharing(
            "SharedSequence.do(onNext:afterNext:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)", "",
            [.delegates, .exact, .survives]
        ) { rig in
            let hook = rig.hook()
            return rig.driver().do(onNext: { _ in hook.quietly() }, onCompleted: hook.quietly, onDispose: hook.quietly)
        },
        Row.sharing("SharedSequence.debug(_:trimOutput:file:line:function:)", "", [.delegates, .exact, .survives]) {
            $0.driver().debug("contract", trimOutput: true)
        },
        Row.sharing("SharedSequence.distinctUntilChanged()", "", [.delegates, .exact, .survives]) {
            $0.driver().distinctUntilChanged()
        },
        Row.sharing("SharedSequence.distinctUntilChanged(_:)", "key", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.driver().distinctUntilChanged { (element: Tracked) -> Int in
                hook.quietly()
                return element.value
            }
        },
        Row.sharing("SharedSequence.distinctUntilChanged(_:)", "comparer", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.driver().distinctUntilChanged { (left: Tracked, right: Tracked) -> Bool in
                hook.quietly()
                return left === right
            }
        },
        Row.sharing("SharedSequence.distinctUntilChanged(_:comparer:)", "", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.driver().distinctUntilChanged({ $0 }) { left, right in
                hook.quietly()
                return left === right
            }
        },
        Row.sharing("SharedSequence.throttle(_:latest:)", "", [.delegates, .survives]) {
            $0.driver().throttle(.seconds(1))
        },
        Row.sharing("SharedSequence.debounce(_:)", "", [.delegates, .survives]) { $0.driver().debounce(.seconds(1)) },
        Row.sharing("SharedSequence.delay(_:)", "", [.delegates, .exact, .survives]) { $0.driver().delay(.seconds(1)) },
        Row.sharing("Signal.withUnretained(_:resultSelector:)", "", [.delegates, .exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.signal().withUnretained(rig) { _, element in
                hook.quietly()
                return element
            }
        },
        Row.sharing("Signal.withUnretained(_:)", "", [.delegates, .exact, .survives]) { rig in
            rig.signal().withUnretained(rig).map { $0.1 }
        },
        Row.sharing("static SharedSequence.empty()", "", [.delegates]) { _ in Driver<Tracked>.empty() },
        Row.sharing("static SharedSequence.never()", "", [.delegates, .endless]) { _ in Driver<Tracked>.never() },
        Row.sharing("static SharedSequence.just(_:)", "", [.delegates]) { Driver.just($0.make()) },
        Row.sharing("static SharedSequence.of(_:)", "", [.delegates]) { Driver.of($0.make(), $0.make()) },
        Row.sharing("static SharedSequence.from(_:)", "array", [.delegates]) { Driver.from([$0.make(), $0.make()]) },
        Row.sharing("static SharedSequence.from(_:)", "sequence", [.delegates]) {
            Driver.from(AnySequence([$0.make(), $0.make()]))
        },
        Row.sharing("static SharedSequence.from(optional:)", "", [.delegates]) { Driver.from(optional: $0.make()) },
        Row.sharing("static SharedSequence.deferred(_:)", "", [.delegates, .exact, .survives]) { rig in
            let (driver, hook) = (rig.driver(), rig.hook())
            return Driver<Tracked>.deferred {
                hook.quietly()
                return driver
            }
        },
        Row.sharing("static SharedSequence.interval(_:)", "", [.delegates, .endless]) { _ in
            Driver<Int>.interval(.seconds(20))
        },
        Row.sharing("static SharedSequence.timer(_:period:)", "", [.delegates, .endless]) { _ in
            Driver<Int>.timer(.seconds(1), period: .seconds(20))
        },
        Row.sharing("SharedSequence.flatMap(_:)", "", [.delegates, .survives, .multiplies]) { rig in
            let (outer, inner, hook) = (rig.driver(0), rig.driver(1), rig.hook())
            return outer.flatMap { _ in
                hook.quietly()
                return inner
            }
        },
        Row.sharing("SharedSequence.flatMapLatest(_:)", "", [.delegates, .survives]) { rig in
            let (outer, inner, hook) = (rig.driver(0), rig.driver(1), rig.hook())
            return outer.flatMapLatest { _ in
                hook.quietly()
                return inner
            }
        },
        Row.sharing("SharedSequence.flatMapFirst(_:)", "", [.delegates, .survives]) { rig in
            let (outer, inner, hook) = (rig.driver(0), rig.driver(1), rig.hook())
            return outer.flatMapFirst { _ in
                hook.quietly()
                return inner
            }
        },
        Row.sharing("SharedSequence.merge()", "", [.delegates, .survives, .multiplies]) { rig in
            let (outer, inner) = (rig.driver(0), rig.driver(1))
            return outer.map { _ in inner }.merge()
        },
        Row.sharing("SharedSequence.merge(maxConcurrent:)", "", [.delegates, .survives, .multiplies]) { rig in
            let (outer, inner) = (rig.driver(0), rig.driver(1))
            return outer.map { _ in inner }.merge(maxConcurrent: 2)
        },
        Row.sharing("SharedSequence.switchLatest()", "", [.delegates, .survives]) { rig in
            let (outer, inner) = (rig.driver(0), rig.driver(1))
            return outer.map { _ in inner }.switchLatest()
        },
        Row.sharing("static SharedSequence.merge(_:)", "collection", [.delegates, .exact, .survives]) { rig in
            Driver.merge(AnyCollection((0..<3).map(rig.driver)))
        },
        Row.sharing("static SharedSequence.merge(_:)", "array", [.delegates, .exact, .survives]) { rig in
            Driver.merge((0..<3).map(rig.driver))
        },
        Row.sharing("static SharedSequence.merge(_:)", "variadic", [.delegates, .exact, .survives]) {
            Driver.merge($0.driver(0), $0.driver(1))
        },
        Row.sharing("static SharedSequence.concat(_:)", "sequence", [.delegates, .survives]) { rig in
            Driver.concat(AnySequence((0..<3).map(rig.driver)))
        },
        Row.sharing("static SharedSequence.concat(_:)", "collection", [.delegates, .survives]) { rig in
            Driver.concat((0..<3).map(rig.driver))
        },
        Row.sharing("static SharedSequence.zip(_:)", "", [.delegates, .survives]) { rig in
            Driver.zip((0..<3).map(rig.driver))
        },
        Row.sharing("static SharedSequence.zip(_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Driver.zip((0..<3).map(rig.driver)) { row in
                hook.quietly()
                return row
            }
        },
        Row.sharing("static SharedSequence.combineLatest(_:)", "", [.delegates, .survives]) { rig in
            Driver.combineLatest((0..<3).map(rig.driver))
        },
        Row.sharing("static SharedSequence.combineLatest(_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Driver.combineLatest((0..<3).map(rig.driver)) { row in
                hook.quietly()
                return row
            }
        },
        Row.sharing("SharedSequence.withLatestFrom(_:)", "", [.delegates, .survives]) {
            $0.driver(0).withLatestFrom($0.driver(1))
        },
        Row.sharing("SharedSequence.withLatestFrom(_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return rig.driver(0).withLatestFrom(rig.driver(1)) { left, right in
                hook.quietly()
                return [left, right]
            }
        },
    ]

    static let sharedSequenceArityRows: [Row] = [
        Row.sharing("static SharedSequence.zip(_:_:)", "", [.delegates, .survives]) { rig in
            Driver.zip(rig.driver(0), rig.driver(1))
        },
        Row.sharing("static SharedSequence.zip(_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Driver.zip(rig.driver(0), rig.driver(1)) {
                hook.quietly()
                return [$0, $1]
            }
        },
        Row.sharing("static SharedSequence.zip(_:_:_:)", "", [.delegates, .survives]) { rig in
            Driver.zip(rig.driver(0), rig.driver(1), rig.driver(2))
        },
        Row.sharing("static SharedSequence.zip(_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Driver.zip(rig.driver(0), rig.driver(1), rig.driver(2)) {
                hook.quietly()
                return [$0, $1, $2]
            }
        },
        Row.sharing("static SharedSequence.zip(_:_:_:_:)", "", [.delegates, .survives]) { rig in
            Driver.zip(rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3))
        },
        Row.sharing("static SharedSequence.zip(_:_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Driver.zip(rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3)) {
                hook.quietly()
                return [$0, $1, $2, $3]
            }
        },
        Row.sharing("static SharedSequence.zip(_:_:_:_:_:)", "", [.delegates, .survives]) { rig in
            Driver.zip(rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3), rig.driver(4))
        },
        Row.sharing("static SharedSequence.zip(_:_:_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Driver.zip(rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3), rig.driver(4)) {
                hook.quietly()
                return [$0, $1, $2, $3, $4]
            }
        },
        Row.sharing("static SharedSequence.zip(_:_:_:_:_:_:)", "", [.delegates, .survives]) { rig in
            Driver.zip(rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3), rig.driver(4), rig.driver(5))
        },
        Row.sharing("static SharedSequence.zip(_:_:_:_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Driver.zip(rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3), rig.driver(4), rig.driver(5))
            {
                hook.quietly()
                return [$0, $1, $2, $3, $4, $5]
            }
        },
        Row.sharing("static SharedSequence.zip(_:_:_:_:_:_:_:)", "", [.delegates, .survives]) { rig in
            Driver.zip(
                rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3), rig.driver(4), rig.driver(5), rig.driver(6))
        },
        Row.sharing("static SharedSequence.zip(_:_:_:_:_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Driver.zip(
                rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3), rig.driver(4), rig.driver(5), rig.driver(6)
            ) {
                hook.quietly()
                return [$0, $1, $2, $3, $4, $5, $6]
            }
        },
        Row.sharing("static SharedSequence.zip(_:_:_:_:_:_:_:_:)", "", [.delegates, .survives]) { rig in
            Driver.zip(
                rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3), rig.driver(4), rig.driver(5), rig.driver(6),
                rig.driver(7))
        },
        Row.sharing("static SharedSequence.zip(_:_:_:_:_:_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Driver.zip(
                rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3), rig.driver(4), rig.driver(5), rig.driver(6),
                rig.driver(7)
            ) {
                hook.quietly()
                return [$0, $1, $2, $3, $4, $5, $6, $7]
            }
        },
        Row.sharing("static SharedSequence.combineLatest(_:_:)", "", [.delegates, .survives]) { rig in
            Driver.combineLatest(rig.driver(0), rig.driver(1))
        },
        Row.sharing("static SharedSequence.combineLatest(_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Driver.combineLatest(rig.driver(0), rig.driver(1)) {
                hook.quietly()
                return [$0, $1]
            }
        },
        Row.sharing("static SharedSequence.combineLatest(_:_:_:)", "", [.delegates, .survives]) { rig in
            Driver.combineLatest(rig.driver(0), rig.driver(1), rig.driver(2))
        },
        Row.sharing("static SharedSequence.combineLatest(_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Driver.combineLatest(rig.driver(0), rig.driver(1), rig.driver(2)) {
                hook.quietly()
                return [$0, $1, $2]
            }
        },
        Row.sharing("static SharedSequence.combineLatest(_:_:_:_:)", "", [.delegates, .survives]) { rig in
            Driver.combineLatest(rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3))
        },
        Row.sharing("static SharedSequence.combineLatest(_:_:_:_:resultSelector:)", "", [.delegates, .survives]) {
            rig in
            let hook = rig.hook()
            return Driver.combineLatest(rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3)) {
                hook.quietly()
                return [$0, $1, $2, $3]
            }
        },
        Row.sharing("static SharedSequence.combineLatest(_:_:_:_:_:)", "", [.delegates, .survives]) { rig in
            Driver.combineLatest(rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3), rig.driver(4))
        },
        Row.sharing("static SharedSequence.combineLatest(_:_:_:_:_:resultSelector:)", "", [.delegates, .survives]) {
            rig in
            let hook = rig.hook()
            return Driver.combineLatest(rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3), rig.driver(4)) {
                hook.quietly()
                return [$0, $1, $2, $3, $4]
            }
        },
        Row.sharing("static SharedSequence.combineLatest(_:_:_:_:_:_:)", "", [.delegates, .survives]) { rig in
            Driver.combineLatest(
                rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3), rig.driver(4), rig.driver(5))
        },
        Row.sharing("static SharedSequence.combineLatest(_:_:_:_:_:_:resultSelector:)", "", [.delegates, .survives]) {
            rig in
            let hook = rig.hook()
            return Driver.combineLatest(
                rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3), rig.driver(4), rig.driver(5)
            ) {
                hook.quietly()
                return [$0, $1, $2, $3, $4, $5]
            }
        },
        Row.sharing("static SharedSequence.combineLatest(_:_:_:_:_:_:_:)", "", [.delegates, .survives]) { rig in
            Driver.combineLatest(
                rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3), rig.driver(4), rig.driver(5), rig.driver(6))
        },
        Row.sharing("static SharedSequence.combineLatest(_:_:_:_:_:_:_:resultSelector:)", "", [.delegates, .survives]) {
            rig in
            let hook = rig.hook()
            return Driver.combineLatest(
                rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3), rig.driver(4), rig.driver(5), rig.driver(6)
            ) {
                hook.quietly()
                return [$0, $1, $2, $3, $4, $5, $6]
            }
        },
        Row.sharing("static SharedSequence.combineLatest(_:_:_:_:_:_:_:_:)", "", [.delegates, .survives]) { rig in
            Driver.combineLatest(
                rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3), rig.driver(4), rig.driver(5), rig.driver(6),
                rig.driver(7))
        },
        Row.sharing(
            "static SharedSequence.combineLatest(_:_:_:_:_:_:_:_:resultSelector:)", "", [.delegates, .survives]
        ) { rig in
            let hook = rig.hook()
            return Driver.combineLatest(
                rig.driver(0), rig.driver(1), rig.driver(2), rig.driver(3), rig.driver(4), rig.driver(5), rig.driver(6),
                rig.driver(7)
            ) {
                hook.quietly()
                return [$0, $1, $2, $3, $4, $5, $6, $7]
            }
        },
    ]
}

extension Row {
    /// Builds the form with the rig's scheduler as the sharing scheduler.
    ///
    /// A sequence that a closure makes later would deliver on the main queue. So `build` makes all sequences at once.
    static func sharing(
        _ name: String, _ note: String, _ traits: Traits, _ build: @escaping @Sendable (Rig) -> some Observed
    ) -> Row {
        sharing(name, note, traits) { Form(build($0)) }
    }

    static func sharing(
        _ name: String, _ note: String, _ traits: Traits, _ form: @escaping @Sendable (Rig) -> Form
    ) -> Row {
        Row(name, note, traits) { rig in
            var built: Form?
            SharingScheduler.mock(scheduler: rig.scheduler) { built = form(rig) }
            return built!
        }
    }
}

extension Rig {
    func driver(_ index: Int = 0) -> Driver<Tracked> {
        self[index].asDriver(onErrorDriveWith: .empty())
    }

    func signal(_ index: Int = 0) -> Signal<Tracked> {
        self[index].asSignal(onErrorSignalWith: .empty())
    }
}

extension SharedSequence: Observed {
    func subscribe(_ probe: Probe) -> any Disposable {
        asObservable().subscribe { probe.on($0) }
    }
}
