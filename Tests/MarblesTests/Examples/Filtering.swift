import RxSwift

extension Example {
    static let filtering: [Example] = [
        Example("filter") { m in m.source.filter { $0 % 2 == 0 } },
        Example("distinct-until-changed") { m in m.source.distinctUntilChanged() },
        Example("element-at") { m in m.line("source", of: String.self).element(at: 1) },
        Example("first", show: { $0.map { "\($0)" } ?? "nil" }) { m in m.source.first() },
        Example("if-empty-default") { m in m.source.ifEmpty(default: 7) },
        Example("ignore-elements") { m in m.source.ignoreElements() },
        Example("single") { m in m.source.single() },
        Example("single-more") { m in m.source.single() },
        Example("skip") { m in m.source.skip(2) },
        Example("skip-until") { m in m.source.skip(until: m.other) },
        Example("skip-while") { m in m.source.skip(while: { $0 < 3 }) },
        Example("take") { m in m.source.take(2) },
        Example("take-last") { m in m.source.takeLast(2) },
        Example("take-until") { m in m.source.take(until: m.other) },
        Example(results: "take-until-predicate") { m in
            m.result(m.source.take(until: { $0 == 3 }))
            m.result(m.source.take(until: { $0 == 3 }, behavior: .inclusive))
        },
        Example(results: "take-while") { m in
            m.result(m.source.take(while: { $0 < 3 }))
            m.result(m.source.take(while: { $0 < 3 }, behavior: .inclusive))
        },
    ]
}
