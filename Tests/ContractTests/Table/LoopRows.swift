import RxSwift

extension Table {
    /// How a sequence is awaited. The observer is a task: what it subscribes to it disposes of when it next has its
    /// turn.
    ///
    /// A driver's `values` belong to the main actor, where a check cannot wait. They are those of its infallible.
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
    /// A task that tells the probe what it awaits, and how it ended unless it was cancelled.
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
