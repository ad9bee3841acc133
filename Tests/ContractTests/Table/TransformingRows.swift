import Foundation
import RxSwift

extension Table {
    static let transformingRows: [Row] = [
        Row("map(_:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.map { element in
                try hook()
                return element
            }
        },
        Row("compactMap(_:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.compactMap { element in
                try hook()
                return element
            }
        },
        Row("enumerated()", "", [.exact]) { $0.a.enumerated() },
        Row("lift(_:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.lift(Passing(hook: { try hook() }))
        },
        Row("lift(_:)", "end", [.endsItself]) { rig in rig.a.lift(Ending()) },
        Row("materialize()", "", [.survives]) { $0.a.materialize() },
        Row("dematerialize()", "", [.exact]) { rig in rig.a.map { Event.next($0) }.dematerialize() },
        Row("dematerialize()", "end", [.endsItself]) { rig in
            rig.a.map { $0.value == 1 ? Event.completed : Event.next($0) }.dematerialize()
        },
        Row("scan(_:accumulator:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.scan(rig.make()) { _, element in
                try hook()
                return element
            }
        },
        Row("scan(into:accumulator:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.scan(into: rig.make()) { state, element in
                try hook()
                state = element
            }
        },
        Row("decode(type:decoder:)") { rig in
            rig.a.map { Data("[\($0.value)]".utf8) }.decode(type: [Int].self, decoder: JSONDecoder())
        },
        Row("withUnretained(_:resultSelector:)", "", [.exact]) { rig in
            let hook = rig.hook()
            return rig.a.withUnretained(rig) { _, element in
                hook.quietly()
                return element
            }
        },
        Row("withUnretained(_:)", "", [.exact]) { rig in rig.a.withUnretained(rig).map { $0.1 } },
        Row("flatMap(_:)", "just", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.flatMap { element in
                try hook()
                return Observable.just(element)
            }
        },
        Row("flatMap(_:)", "of", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.flatMap { element in
                try hook()
                return Observable.of(element, element)
            }
        },
        Row("flatMap(_:)", "hot", [.throwing, .multiplies]) { rig in
            let hook = rig.hook()
            let (outer, inner) = (rig.a, rig.b)
            return outer.flatMap { _ in
                try hook()
                return inner
            }
        },
        Row("flatMap(_:)", "hot and just", [.throwing, .multiplies]) { rig in
            let hook = rig.hook()
            let (outer, inner) = (rig.a, rig.b)
            return outer.flatMap { element in
                try hook()
                return element.value % 100 == 0 ? inner : .just(element)
            }
        },
        Row("flatMapFirst(_:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            let (outer, inner) = (rig.a, rig.b)
            return outer.flatMapFirst { _ in
                try hook()
                return inner
            }
        },
        Row("flatMapLatest(_:)", "just", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.flatMapLatest { element in
                try hook()
                return Observable.just(element)
            }
        },
        Row("flatMapLatest(_:)", "hot", [.throwing]) { rig in
            let hook = rig.hook()
            let (outer, inner) = (rig.a, rig.b)
            return outer.flatMapLatest { _ in
                try hook()
                return inner
            }
        },
        Row("flatMapLatest(_:)", "hot and just", [.throwing]) { rig in
            let hook = rig.hook()
            let (outer, inner) = (rig.a, rig.b)
            return outer.flatMapLatest { element in
                try hook()
                return element.value % 3 == 0 ? .just(element) : inner
            }
        },
        Row("switchLatest()") { rig in
            let (outer, inner) = (rig.a, rig.b)
            return outer.map { _ in inner }.switchLatest()
        },
        Row("concatMap(_:)", "just", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.concatMap { element in
                try hook()
                return Observable.just(element)
            }
        },
        Row("concatMap(_:)", "hot", [.throwing]) { rig in
            let hook = rig.hook()
            let (outer, inner) = (rig.a, rig.b)
            return outer.concatMap { _ in
                try hook()
                return inner
            }
        },
        Row("concat()") { rig in
            let (outer, inner) = (rig.a, rig.b)
            return outer.map { _ in inner }.concat()
        },
        Row("merge(maxConcurrent:)", "", [.multiplies]) { rig in
            let (outer, inner) = (rig.a, rig.b)
            return outer.map { _ in inner }.merge(maxConcurrent: 2)
        },
        Row("merge(maxConcurrent:)", "hot and just", [.multiplies]) { rig in
            let (outer, inner) = (rig.a, rig.b)
            return outer.map { $0.value == 0 ? inner : .just($0) }.merge(maxConcurrent: 2)
        },
        Row("merge()", "", [.multiplies]) { rig in
            let (outer, inner) = (rig.a, rig.b)
            return outer.map { _ in inner }.merge()
        },
    ]
}

private struct Passing: LinearOperator {
    let hook: () throws -> Void

    func next(_ element: Tracked, _ stage: borrowing LinearStage<Self>) throws -> Tracked? {
        try hook()
        return element
    }
}

private struct Ending: LinearOperator {
    func makeState() -> Int { 2 }

    func next(_ element: Tracked, _ stage: borrowing LinearStage<Self>) -> Tracked? {
        guard stage.state > 0 else { return nil }
        stage.state -= 1
        return stage.state == 0 ? stage.end(after: element) : element
    }
}
