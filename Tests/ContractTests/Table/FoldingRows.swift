import RxOperators

extension Table {
    static let foldingRows: [Row] = [
        Row("reduce(accumulator:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.reduce { _, element in
                try hook()
                return element
            }
        },
        Row("scan(accumulator:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.scan { _, element in
                try hook()
                return element
            }
        },
        Row("reduce(into:accumulator:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.reduce(into: [rig.make()]) { elements, element in
                try hook()
                elements.append(element)
            }
        },
        Row("toSet()", "", [.delegates]) { $0.a.map(\.value).toSet().asObservable() },
        Row("toDictionary(keySelector:)", "", [.delegates]) {
            $0.a.toDictionary(keySelector: \.value).asObservable()
        },
        // A dictionary has no order, so its values are sorted.
        Row("toDictionary(keySelector:valueSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.toDictionary(
                keySelector: { element in
                    try hook()
                    return element.value
                }, valueSelector: { $0 }
            )
            .map { entries in entries.sorted { $0.key < $1.key }.map(\.value) }.asObservable()
        },
        Row("grouped(by:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.grouped(by: { _ in
                try hook()
                return 0
            })
            .asObservable()
        },
    ]
}
