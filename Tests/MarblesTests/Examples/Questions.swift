import RxOperators

extension Example {
    static let questions: [Example] = [
        Example("all-satisfy") { m in m.source.allSatisfy { $0 < 4 } },
        Example("all-satisfy-false") { m in m.source.allSatisfy { $0 < 2 } },
        Example("contains-where") { m in m.source.contains(where: { $0 > 1 }) },
        Example("contains") { m in m.source.contains(4) },
        Example("is-empty") { m in m.source.isEmpty() },
        Example("is-empty-false") { m in m.source.isEmpty() },
        Example("sequence-equal") { m in m.source.sequenceEqual(m.other) },
        Example("sequence-equal-false") { m in m.source.sequenceEqual(m.other) },
        Example("min") { m in m.source.min() },
        Example("max") { m in m.source.max() },
        Example("first-or") { m in m.source.first(or: 7) },
        Example("last-or") { m in m.source.last(or: 7) },
        Example("element-at-or") { m in m.source.element(at: 2, or: 7) },
        Example("single-or") { m in m.source.single(or: 7) },
        Example("single-or-more") { m in m.source.single(or: 7) },
    ]
}
