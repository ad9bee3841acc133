import RxSwift

extension Table {
    static let combiningRows: [Row] = [
        Row("static merge(_:)", "collection", [.exact]) { rig in Observable.merge(AnyCollection(rig.sources(3))) },
        Row("static merge(_:)", "array", [.exact]) { rig in Observable.merge(rig.sources(2)) },
        Row("static merge(_:)", "variadic", [.exact]) { Observable.merge($0.a, $0.b, $0.c) },
        Row("concat(_:)") { $0.a.concat($0.b) },
        Row("static concat(_:)", "sequence") { rig in Observable.concat(AnySequence(rig.sources(3))) },
        Row("static concat(_:)", "collection") { rig in Observable.concat(rig.sources(3)) },
        Row("static concat(_:)", "variadic") { Observable.concat($0.a, $0.b) },
        Row("startWith(_:)") { rig in rig.a.startWith(rig.make(), rig.make()) },
        Row("ifEmpty(switchTo:)", "", [.exact]) { rig in
            let other = Observable.just(rig.make())
            return rig.a.ifEmpty(switchTo: other)
        },
        Row("ifEmpty(switchTo:)", "empty") { rig in
            let (source, other) = (rig.a, rig.b)
            return source.filter { _ in false }.ifEmpty(switchTo: other)
        },
        Row("static amb(_:)") { rig in Observable.amb(rig.sources(3)) },
        Row("amb(_:)") { $0.a.amb($0.b) },
        Row("sample(_:defaultValue:)", "", [.waits]) { $0.a.sample($0.b) },
        Row("sample(_:defaultValue:)", "default", [.waits]) { rig in
            let value = rig.make(9 * Rig.producer)
            return rig.a.sample(rig.b, defaultValue: value)
        },
        Row("withLatestFrom(_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.withLatestFrom(rig.b) { left, right in
                try hook()
                return [left, right]
            }
        },
        Row("withLatestFrom(_:)") { $0.a.withLatestFrom($0.b) },
        Row("static combineLatest(_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.combineLatest(rig.sources(3)) { row in
                try hook()
                return row
            }
        },
        Row("static combineLatest(_:)") { rig in Observable.combineLatest(rig.sources(3)) },
        Row("static zip(_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.zip(rig.sources(3)) { row in
                try hook()
                return row
            }
        },
        Row("static zip(_:buffering:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.zip(rig.sources(3), buffering: .pausing(100_000)) { row in
                try hook()
                return row
            }
        },
        Row("static zip(_:)") { rig in Observable.zip(rig.sources(3)) },
    ]
}
