func fields(of text: String) -> [[Substring]] {
    text.split(separator: "\n").map { line in line.split { $0 == " " || $0 == "\t" } }
}

extension [Substring] {
    func number(_ index: Int) -> UInt64? {
        indices.contains(index) ? UInt64(self[index]) : nil
    }
}

extension UInt64 {
    /// The increase of a counter; 0 if it has decreased, as when a device is replaced.
    func since(_ earlier: UInt64) -> UInt64 {
        self > earlier ? self - earlier : 0
    }
}
