import RxSwift

extension Table {
    /// The ways to await a sequence. The observer is a task, which disposes of its sources when it runs next.
    ///
    /// The `values` of a driver have no row, because a check cannot wait for the main actor.
    static let loopRows: [Row] = [
        Row("values", "", [.exact, .awaits]) { rig in
            let source = rig.a
            return Row.Form(awaiting: rig.executor) { probe in
                for try await element in source.values { probe.next(element) }
            }
        },
        Row("values(buffering:)", "", [.exact, .awaits]) { rig in
            let source = rig.a
            return Row.Form(awaiting: rig.executor) { probe in
                for try await element in source.values(buffering: .pausing(100_000)) { probe.next(element) }
            }
        },
        Row("values(buffering:)", "newest", [.awaits]) { rig in
            let source = rig.a
            return Row.Form(awaiting: rig.executor) { probe in
                for try await element in source.values(buffering: .newest(1)) { probe.next(element) }
            }
        },
        Row("values(buffering:)", "oldest", [.awaits]) { rig in
            let source = rig.a
            return Row.Form(awaiting: rig.executor) { probe in
                for try await element in source.values(buffering: .oldest(1)) { probe.next(element) }
            }
        },
        Row("Infallible.values", "", [.exact, .survives, .awaits]) { rig in
            let source = rig.infallible()
            return Row.Form(awaiting: rig.executor) { probe in
                for await element in source.values { probe.next(element) }
            }
        },
        Row("Infallible.values(buffering:)", "", [.survives, .awaits]) { rig in
            let source = rig.infallible()
            return Row.Form(awaiting: rig.executor) { probe in
                for await element in source.values(buffering: .newest(1)) { probe.next(element) }
            }
        },
        Row("Single.value", "", [.endsItself, .awaits]) { rig in
            let single = rig.single()
            return Row.Form(awaiting: rig.executor) { probe in probe.next(try await single.value) }
        },
        Row("Maybe.value", "", [.endsItself, .awaits]) { rig in
            let maybe = rig.maybe()
            return Row.Form(awaiting: rig.executor) { probe in
                if let element = try await maybe.value { probe.next(element) }
            }
        },
        Row("Completable.value", "", [.awaits]) { rig in
            let completable = rig.completable()
            return Row.Form(awaiting: rig.executor) { _ in try await completable.value }
        },
    ]
}

extension Row.Form {
    /// Subscribes with a task that forwards the elements to the probe. If the task was not cancelled, it also forwards
    /// the end.
    init(awaiting executor: ManualExecutor, _ body: @escaping @Sendable (Probe) async throws -> Void) {
        subscribe = { probe in
            let task = Task(executorPreference: executor) {
                do {
                    try await body(probe)
                    if !Task.isCancelled { probe.complete() }
                } catch {
                    if !Task.isCancelled { probe.fail(error) }
                }
            }
            return Disposables.create { task.cancel() }
        }
    }
}
