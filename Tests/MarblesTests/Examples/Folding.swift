import RxOperators

extension Example {
    static let folding: [Example] = [
        Example("reduce-from-first") { m in m.source.reduce(accumulator: +) },
        Example("scan-from-first") { m in m.source.scan(accumulator: +) },
        Example("reduce-into") { m in m.source.reduce(into: [0]) { $0.insert($1, at: 0) } },
        Example("to-set", show: { "\($0.sorted())" }) { m in m.source.toSet() },
        Example("to-dictionary", show: entries) { m in
            m.source.toDictionary(keySelector: { $0 % 2 }, valueSelector: { $0 * 10 })
        },
        Example("grouped-by", show: entries) { m in m.source.grouped(by: { $0 % 2 }) },
    ]

    private static func entries<Value>(_ dictionary: [Int: Value]) -> String {
        "[\(dictionary.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ","))]"
    }
}
