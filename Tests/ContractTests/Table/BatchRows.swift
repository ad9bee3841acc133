import RxOperators

extension Table {
    static let batchRows: [Row] = [
        Row("buffer(count:skip:)", "flattened", [.exact]) {
            $0.a.buffer(count: 2, skip: 2).flatMap { Observable.from($0) }
        },
        Row("buffer(count:skip:)", "with gaps") { $0.a.buffer(count: 1, skip: 2).flatMap { Observable.from($0) } },
        Row("buffer(until:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.buffer(until: { element in
                try hook()
                return element.value % 2 == 0
            })
            .flatMap { Observable.from($0) }
        },
        Row("buffer(while:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.buffer(while: { element in
                try hook()
                return element.value % 2 == 0
            })
            .flatMap { Observable.from($0) }
        },
        Row("window(count:skip:)") { $0.a.window(count: 2, skip: 2) },
        Row("window(count:skip:)", "flattened", [.exact]) { $0.a.window(count: 2, skip: 2).flatMap { $0 } },
        Row("window(boundary:)") { $0.a.window(boundary: $0.b) },
        Row("window(boundary:)", "flattened") { $0.a.window(boundary: $0.b).flatMap { $0 } },
        Row("window(openings:closing:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            let closing = rig.c
            return rig.a.window(openings: rig.b) { _ in
                try hook()
                return closing
            }
        },
        Row("window(openings:closing:)", "flattened", [.throwing]) { rig in
            let hook = rig.hook()
            let closing = rig.c
            return rig.a.window(openings: rig.b) { _ in
                try hook()
                return closing
            }
            .flatMap { $0 }
        },
    ]
}
