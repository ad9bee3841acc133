import RxSwift

extension Table {
    static let filteringRows: [Row] = [
        Row("filter(_:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.filter { _ in
                try hook()
                return true
            }
        },
        Row("take(_:)", "", [.endsItself]) { $0.a.take(2) },
        Row("take(_:)", "many", [.exact]) { $0.a.take(.max) },
        Row("take(while:behavior:)", "exclusive", [.throwing, .endsItself]) { rig in
            let hook = rig.hook()
            return rig.a.take(while: { element in
                try hook()
                return element.value < 2
            })
        },
        Row("take(while:behavior:)", "inclusive", [.throwing, .endsItself]) { rig in
            let hook = rig.hook()
            return rig.a.take(
                while: { element in
                    try hook()
                    return element.value < 2
                }, behavior: .inclusive)
        },
        Row("take(until:)", "", [.endsItself]) { $0.a.take(until: $0.b) },
        Row("take(until:behavior:)", "exclusive", [.throwing, .endsItself]) { rig in
            let hook = rig.hook()
            return rig.a.take(until: { element in
                try hook()
                return element.value >= 2
            })
        },
        Row("take(until:behavior:)", "inclusive", [.throwing, .endsItself]) { rig in
            let hook = rig.hook()
            return rig.a.take(
                until: { element in
                    try hook()
                    return element.value >= 2
                }, behavior: .inclusive)
        },
        Row("takeLast(_:)") { $0.a.takeLast(2) },
        Row("skip(_:)") { $0.a.skip(1) },
        Row("skip(while:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.skip(while: { element in
                try hook()
                return element.value < 1
            })
        },
        Row("skip(until:)", "", [.waits]) { $0.a.skip(until: $0.b) },
        Row("single()", "", [.endsItself, .fails]) { $0.a.single() },
        Row("single(_:)", "", [.throwing, .endsItself, .fails]) { rig in
            let hook = rig.hook()
            return rig.a.single { element in
                try hook()
                return element.value < 2
            }
        },
        Row("first()", "", [.endsItself]) { $0.a.first().asObservable() },
        Row("element(at:)", "", [.endsItself]) { $0.a.element(at: 1) },
        Row("ifEmpty(default:)", "", [.exact]) { rig in rig.a.ifEmpty(default: rig.make()) },
        Row("ifEmpty(default:)", "empty") { rig in rig.a.filter { _ in false }.ifEmpty(default: rig.make()) },
        Row("ignoreElements()") { $0.a.ignoreElements() },
        Row("distinctUntilChanged()", "", [.exact]) { $0.a.distinctUntilChanged() },
        Row("distinctUntilChanged(at:)", "", [.exact]) { $0.a.distinctUntilChanged(at: \.value) },
        Row("distinctUntilChanged(_:)", "key", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.distinctUntilChanged { (element: Tracked) -> Int in
                try hook()
                return element.value
            }
        },
        Row("distinctUntilChanged(_:)", "comparer", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.distinctUntilChanged { (left: Tracked, right: Tracked) -> Bool in
                try hook()
                return left === right
            }
        },
        Row("distinctUntilChanged(_:comparer:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.distinctUntilChanged({ $0 }) { left, right in
                try hook()
                return left === right
            }
        },
    ]
}
