import RxSwift

extension Table {
    static let errorRows: [Row] = [
        Row("catch(_:)", "", [.throwing, .exact, .survives, .prepares]) { rig in
            let hook = rig.hook()
            return rig.a.catch { _ in
                try hook()
                return .empty()
            }
        },
        Row("catch(_:)", "hot", [.throwing, .survives, .prepares]) { rig in
            let hook = rig.hook()
            let (source, other) = (rig.a, rig.b)
            return source.catch { _ in
                try hook()
                return other
            }
        },
        Row("catchAndReturn(_:)", "", [.exact, .survives]) { rig in rig.a.catchAndReturn(rig.make()) },
        Row("static catch(sequence:)", "", [.survives]) { rig in Observable.catch(sequence: rig.sources(2)) },
        Row("retry()", "", [.survives, .retries]) { $0.a.retry() },
        Row("retry(_:)", "", [.survives, .retries]) { $0.a.retry(2) },
        Row("retry(when:)", "", [.survives]) { rig in
            let (source, trigger) = (rig.a, rig.b)
            return source.retry { (errors: Observable<any Error>) in errors.flatMap { _ in trigger } }
        },
        Row("retry(when:)", "typed", [.survives]) { rig in
            let (source, trigger) = (rig.a, rig.b)
            return source.retry { (errors: Observable<TrackedError>) in errors.flatMap { _ in trigger } }
        },
    ]
}
