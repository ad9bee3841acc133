/// One line of the log: `2026-11-22T18:20:01.123Z 203.0.113.7 GET /orders/4711 200 5`.
public struct Entry: Hashable, Sendable {
    /// The time in seconds since 1970.
    public let second: Int
    public let status: Int

    public init(second: Int, status: Int) {
        self.second = second
        self.status = status
    }

    public init?(line: String) {
        var line = line
        guard let entry = line.withUTF8(Entry.init) else { return nil }
        self = entry
    }

    private init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        let fields = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard fields.count == 6, let second = Self.second(fields[0]), let status = Self.number(fields[4]),
            (100...999).contains(status)
        else { return nil }
        self.init(second: second, status: status)
    }

    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    /// Returns the seconds since 1970 for `YYYY-MM-DDThh:mm:ss` with a suffix such as `Z`; nil if malformed.
    private static func second(_ time: Bytes) -> Int? {
        guard time.count >= 20 else { return nil }
        func part(_ from: Int, _ count: Int) -> Int? {
            number(time[(time.startIndex + from)..<(time.startIndex + from + count)])
        }
        guard let year = part(0, 4), let month = part(5, 2), let day = part(8, 2), let hour = part(11, 2),
            let minute = part(14, 2), let second = part(17, 2), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        return days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
    }

    private static func number(_ digits: Bytes) -> Int? {
        guard !digits.isEmpty, digits.count < 10 else { return nil }
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    /// The days from 1970 to a date. Here years begin in March, so the leap day is the last day of a year.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month < 3 ? year - 1 : year
        let daysBefore = ((month + 9) % 12 * 153 + 2) / 5
        return year * 365 + year / 4 - year / 100 + year / 400 + daysBefore + day - 1 - 719_468
    }
}
