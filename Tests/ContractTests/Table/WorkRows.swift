@_spi(RxServer) import RxSwift

extension Table {
    /// Sequences of asynchronous work. Their tasks run on the rig's clock.
    static let workRows: [Row] = [
        Row.working("static create(detached:priority:work:)", "", [.throwing, .exact, .awaits]) { rig in
            let (source, hook) = (rig.a, rig.hook())
            return Observable<Tracked>.create { observer in
                for try await element in source.values {
                    try hook()
                    observer.onNext(element)
                }
            }
        },
        Row.working("static create(detached:priority:work:)", "detached", [.throwing, .exact, .awaits]) { rig in
            let (source, hook) = (rig.a, rig.hook())
            return Observable<Tracked>.create(detached: true) { observer in
                for try await element in source.values {
                    try hook()
                    observer.onNext(element)
                }
            }
        },
        Row.working("static Infallible.create(detached:priority:work:)", "", [.exact, .survives, .awaits]) { rig in
            let (source, hook) = (rig.infallible(), rig.hook())
            return Infallible<Tracked>.create { send in
                for await element in source.values {
                    hook.quietly()
                    send(.next(element))
                }
            }
        },
        Row.working("static Single.create(detached:priority:work:)", "", [.throwing, .endsItself, .oneEvent, .awaits]) {
            rig in
            let (source, hook) = (rig.single(), rig.hook())
            return Single<Tracked>.create {
                let element = try await source.value
                try hook()
                return element
            }
        },
        Row.working("static Maybe.create(detached:priority:work:)", "", [.throwing, .endsItself, .oneEvent, .awaits]) {
            rig in
            let (source, hook) = (rig.maybe(), rig.hook())
            return Maybe<Tracked>.create {
                let element = try await source.value
                try hook()
                return element
            }
        },
        Row.working("static Completable.create(detached:priority:work:)", "", [.throwing, .awaits]) { rig in
            let (source, hook) = (rig.completable(), rig.hook())
            return Completable.create {
                try await source.value
                try hook()
            }
        },
        Row.working("AsyncSequence.asObservable(priority:)", "", [.exact, .awaits]) {
            Elements(source: $0.a).asObservable()
        },
        Row.working("flatMapAsync(_:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.working(rig.a).flatMapAsync { element in try await work(on: element, hook) }
        },
        Row.working("flatMapAsync(maxConcurrent:_:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.working(rig.a).flatMapAsync(maxConcurrent: 2) { element in try await work(on: element, hook) }
        },
        Row.working("concatMapAsync(_:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.working(rig.a).concatMapAsync { element in try await work(on: element, hook) }
        },
        Row.working("flatMapLatestAsync(_:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.working(rig.a).flatMapLatestAsync { element in try await work(on: element, hook) }
        },
        Row.working("Single.flatMapAsync(_:)", "", [.throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return rig.working(rig.a).take(1).asSingle().flatMapAsync { element in try await work(on: element, hook) }
        },
        Row.working("Maybe.flatMapAsync(_:)", "", [.throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return rig.working(rig.a).take(1).asMaybe().flatMapAsync { element in try await work(on: element, hook) }
        },
        Row.working("Infallible.flatMapAsync(_:)", "", [.exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.workingInfallible().flatMapAsync { element in await quietWork(on: element, hook) }
        },
        Row.working("Infallible.concatMapAsync(_:)", "", [.exact, .survives]) { rig in
            let hook = rig.hook()
            return rig.workingInfallible().concatMapAsync { element in await quietWork(on: element, hook) }
        },
        Row.working("Infallible.flatMapLatestAsync(_:)", "", [.survives]) { rig in
            let hook = rig.hook()
            return rig.workingInfallible().flatMapLatestAsync { element in await quietWork(on: element, hook) }
        },
    ]
}

@Sendable private func work(on element: Tracked, _ hook: Hook) async throws -> Tracked {
    await Task.yield()
    try hook()
    return element
}

@Sendable private func quietWork(on element: Tracked, _ hook: Hook) async -> Tracked {
    await Task.yield()
    hook.quietly()
    return element
}

private struct Elements: AsyncSequence, Sendable {
    let source: Observable<Tracked>

    func makeAsyncIterator() -> AsyncThrowingStream<Tracked, any Error>.Iterator {
        source.values.makeAsyncIterator()
    }
}

extension Rig {
    fileprivate func workingInfallible() -> Infallible<Tracked> {
        working(a).asInfallible { _ in .empty() }
    }
}

extension Row {
    fileprivate static func working(
        _ name: String, _ note: String, _ traits: Traits, _ build: @escaping @Sendable (Rig) -> some Observed
    ) -> Row {
        Row(name, note, traits) { rig in
            let (form, executor) = (Form(build(rig)), rig.executor)
            return Form { probe in WorkExecutor.preferred.withValue(executor) { form.subscribe(probe) } }
        }
    }
}
