import RxOperators

extension Table {
    static let questionRows: [Row] = [
        Row("allSatisfy(_:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.allSatisfy { _ in
                try hook()
                return true
            }
            .asObservable()
        },
        Row("allSatisfy(_:)", "false", [.endsItself]) { $0.a.allSatisfy { $0.value < 1 }.asObservable() },
        Row("contains(where:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.contains(where: { _ in
                try hook()
                return false
            })
            .asObservable()
        },
        Row("contains(where:)", "true", [.endsItself]) { $0.a.contains(where: { $0.value > 0 }).asObservable() },
        Row("contains(_:)", "", [.delegates]) { $0.a.map(\.value).contains(-1).asObservable() },
        Row("isEmpty()", "", [.endsItself]) { $0.a.isEmpty().asObservable() },
        Row("sequenceEqual(_:by:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.sequenceEqual(rig.b) { _, _ in
                try hook()
                return true
            }
            .asObservable()
        },
        Row("sequenceEqual(_:by:)", "false", [.endsItself]) {
            $0.a.sequenceEqual($0.b) { _, _ in false }.asObservable()
        },
        Row("sequenceEqual(_:)", "", [.delegates, .endsItself]) { $0.a.sequenceEqual($0.b).asObservable() },
        Row("min(by:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.startWith(rig.make()).min {
                try hook()
                return $0.value < $1.value
            }
            .asObservable()
        },
        Row("min()", "", [.delegates]) { $0.a.map(\.value).min().asObservable() },
        Row("max(by:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.startWith(rig.make()).max {
                try hook()
                return $0.value < $1.value
            }
            .asObservable()
        },
        Row("max()", "", [.delegates]) { $0.a.map(\.value).max().asObservable() },
        Row("first(or:)", "", [.endsItself]) { rig in rig.a.first(or: rig.make()).asObservable() },
        Row("last(or:)") { rig in rig.a.last(or: rig.make()).asObservable() },
        Row("element(at:or:)", "", [.endsItself]) { rig in rig.a.element(at: 1, or: rig.make()).asObservable() },
        Row("single(or:)", "", [.endsItself, .fails]) { rig in rig.a.single(or: rig.make()).asObservable() },
    ]
}
