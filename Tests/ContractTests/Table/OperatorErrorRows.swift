import RxOperators

extension Table {
    static let operatorErrorRows: [Row] = [
        Row("mapError(_:)", "", [.exact]) { $0.a.mapError { $0 } },
        Row("mapError(_:)", "throws", [.throwing, .exact, .survives, .prepares]) { rig in
            let hook = rig.hook()
            return rig.a.mapError { error in
                try hook()
                return error
            }
        },
        Row("PrimitiveSequence.mapError(_:)", "", [.delegates, .endsItself, .oneEvent]) {
            $0.single().mapError { $0 }
        },
        Row("onErrorComplete(where:)", "", [.throwing, .exact, .survives, .prepares]) { rig in
            let hook = rig.hook()
            return rig.a.onErrorComplete(where: { _ in
                try hook()
                return true
            })
        },
        Row("onErrorComplete(where:)", "passes", [.exact]) { $0.a.onErrorComplete(where: { _ in false }) },
        Row("repeat(when:)", "once") { $0.a.repeat(when: { $0.take(1) }) },
        Row("repeat(when:)", "another sequence", [.endless]) { rig in
            let (source, trigger) = (rig.a, rig.b)
            return source.repeat(when: { $0.flatMap { _ in trigger } })
        },
        Row("timeout(first:selector:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.timeout(
                first: Observable<Int>.never(),
                selector: { _ in
                    try hook()
                    return .never()
                })
        },
        Row("timeout(first:selector:)", "fires", [.endsItself, .fails]) { rig in
            let (source, trigger) = (rig.a, rig.b)
            return source.timeout(selector: { _ in trigger })
        },
    ]
}
