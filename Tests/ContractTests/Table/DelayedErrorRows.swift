import RxOperators

extension Table {
    static let delayedErrorRows: [Row] = [
        Row("static delayingErrors(_:)", "", [.throwing, .survives, .prepares, .exact]) { rig in
            let hook = rig.hook()
            let (a, b) = (rig.a, rig.b)
            return Observable.delayingErrors { delayed in
                try hook()
                return .merge(delayed(a), delayed(b))
            }
        },
        Row("static merge(_:delayingErrors:)", "", [.exact, .survives]) {
            Observable.merge([$0.a, $0.b], delayingErrors: true)
        },
        Row("static merge(_:delayingErrors:)", "at once", [.exact]) {
            Observable.merge([$0.a, $0.b], delayingErrors: false)
        },
        Row("static concat(_:delayingErrors:)", "", [.survives]) {
            Observable.concat([$0.a, $0.b], delayingErrors: true)
        },
        Row("static concat(_:delayingErrors:)", "at once") {
            Observable.concat([$0.a, $0.b], delayingErrors: false)
        },
        Row("flatMap(delayingErrors:_:)", "", [.exact, .survives]) {
            $0.a.flatMap(delayingErrors: true) { Observable.just($0) }
        },
        Row("flatMap(delayingErrors:_:)", "another sequence", [.multiplies, .survives]) { rig in
            let inner = rig.b
            return rig.a.flatMap(delayingErrors: true) { _ in inner }
        },
        Row("flatMap(delayingErrors:_:)", "at once", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.flatMap(delayingErrors: false) { element in
                try hook()
                return Observable.just(element)
            }
        },
        Row("switchLatest(delayingErrors:)", "", [.survives]) { rig in
            let inner = rig.b
            return rig.a.map { _ in inner }.switchLatest(delayingErrors: true)
        },
        Row("static combineLatest(_:delayingErrors:resultSelector:)", "", [.throwing, .survives]) { rig in
            let hook = rig.hook()
            return Observable.combineLatest([rig.a, rig.b], delayingErrors: true) { elements in
                try hook()
                return elements[0]
            }
        },
        Row("static zip(_:delayingErrors:resultSelector:)", "", [.throwing, .survives, .waits]) { rig in
            let hook = rig.hook()
            return Observable.zip([rig.a, rig.b], delayingErrors: true) { elements in
                try hook()
                return elements[0]
            }
        },
    ]
}
