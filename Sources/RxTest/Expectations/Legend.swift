struct Legend<Element: Equatable> {
    private var entries: [(name: Character, element: Element)]

    /// Gives each element a name of one character: its key in `values`, or its own text if that is one unused
    /// character, or the next unused letter.
    ///
    /// - Parameter elements: in the order in which letters are assigned.
    init(for elements: [Element], values: [Character: Element]) {
        entries = values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }.filter { elements.contains($0.element) }
        var taken = Set(values.keys).union(Marbles.reserved)
        for element in elements where !isNamed(element) {
            if let name = Self.spelling(of: element), taken.insert(name).inserted { entries.append((name, element)) }
        }
        var letters = ("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" as Substring).filter {
            !taken.contains($0)
        }[...]
        for element in elements where !isNamed(element) {
            // If no letter is left, the remaining elements share the name `?`.
            entries.append((letters.popFirst() ?? "?", element))
        }
    }

    func name(of element: Element) -> Character {
        entries.first { $0.element == element }?.name ?? "?"
    }

    var lines: [String] {
        entries.filter { Self.spelling(of: $0.element) != $0.name }.map {
            "\($0.name) = \(Self.singleLine("\($0.element)"))"
        }
    }

    private func isNamed(_ element: Element) -> Bool {
        entries.contains { $0.element == element }
    }

    private static func spelling(of element: Element) -> Character? {
        let text = "\(element)"
        guard text.count == 1, let name = text.first, !name.isWhitespace else { return nil }
        return name
    }

    private static func singleLine(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
    }
}
