/// The lines of a text from `/proc`, each as its fields: every file there separates them with blanks.
func fields(of text: String) -> [[Substring]] {
    text.split(separator: "\n").map { line in line.split { $0 == " " || $0 == "\t" } }
}

extension [Substring] {
    /// The field as a number, or nil where the line is too short or says something else.
    func number(_ index: Int) -> UInt64? {
        indices.contains(index) ? UInt64(self[index]) : nil
    }
}

extension UInt64 {
    /// How far a counter went since `earlier`; 0 where it went back, as it does when a device is replaced.
    func since(_ earlier: UInt64) -> UInt64 {
        self > earlier ? self - earlier : 0
    }
}
