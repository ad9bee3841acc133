import Foundation
import RxSwift

extension Example {
    static let transforming: [Example] = [
        Example("map") { m in m.source.map { $0 * 2 } },
        Example("compact-map") { m in m.line("source", of: String.self).compactMap { Int($0) } },
        Example("flat-map") { m in m.source.flatMap { m.inner($0) } },
        Example("flat-map-first") { m in m.source.flatMapFirst { m.inner($0) } },
        Example("flat-map-latest") { m in m.source.flatMapLatest { m.inner($0) } },
        Example("concat-map") { m in m.source.concatMap { m.inner($0) } },
        Example("decode") { m in
            m.line("source") { Data($0.utf8) }.decode(type: Int.self, decoder: JSONDecoder())
        },
        Example("with-unretained") { m in
            nonisolated(unsafe) let owner = Owner()
            _ = m.me.subscribe(onCompleted: { owner.me = nil })
            let whileItLives = { (me: Owner.Owned) in m.source.withUnretained(me) { $1 } }
            return whileItLives(owner.me ?? .init())
        },
        Example("lift") { m in m.source.lift(EveryOther()) },
        Example("debug") { m in m.source.debug("orders") },
        Example("scan") { m in m.source.scan(0, accumulator: +) },
        Example("scan-into") { m in m.source.scan(into: []) { $0.append($1) } },
        Example("reduce") { m in m.source.reduce(0, accumulator: +) },
        Example("to-array") { m in m.source.toArray() },
        Example("enumerated", show: { "(\($0.index),\($0.element))" }) { m in
            m.line("source", of: String.self).enumerated()
        },
        Example("materialize") { m in m.source.materialize() },
        Example("dematerialize") { m in m.line("source", reading: Event<Int>.init(spelled:)).dematerialize() },
        Example(results: "do") { m in
            let logged = PublishSubject<Int>()
            let log = { @Sendable (element: Int) in logged.onNext(element) }
            m.result(logged, of: "logged")
            m.result(m.source.do(onNext: { log($0) }))
        },
        Example(results: "group-by") { m in
            let groups = m.source.groupBy { $0 % 2 }
            m.result(groups, show: { $0.key == 1 ? "o" : "e" })
            m.result(groups.filter { $0.key == 1 }.merge(), of: "o")
            m.result(groups.filter { $0.key == 0 }.merge(), of: "e")
        },
    ]
}

private final class Owner {
    final class Owned {}

    var me: Owned? = Owned()
}

private struct EveryOther: LinearOperator {
    typealias Output = Int

    func makeState() -> Bool { false }

    func next(_ element: Int, _ stage: borrowing LinearStage<Self>) -> Int? {
        stage.exchange(!stage.state) ? nil : element
    }
}

extension Event<Int> {
    /// Reads `next(1)`, `error(e)` and `completed`.
    init?(spelled text: String) {
        switch text {
        case "completed": self = .completed
        case "error(e)": self = .error(DrawnError())
        default:
            guard let element = Int(text.dropFirst("next(".count).dropLast()) else { return nil }
            self = .next(element)
        }
    }
}
