import ArgumentParser
import ExampleSupport
import Foundation

struct Write: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes a log and rotates it, as a service does; its own counts go to written.tsv beside it.")

    @Argument(help: "The folder of the log.") var folder: String
    @Option(help: "The number of lines to write.") var lines = 1_000_000
    @Option(help: "How often the log is rotated.") var rotations = 11
    @Option(help: "Lines written per second; 0 for no limit.") var rate = 0

    func validate() throws {
        try check("lines", lines, 1...100_000_000)
        try check("rotations", rotations, 0...1_000)
        try check("rate", rate, 0...10_000_000)
    }

    func run() throws {
        var traffic = Traffic(begin: Int(Date().timeIntervalSince1970))
        var log = try RotatedLog(path: Place.log(folder))
        var counts: [Key: Int] = [:]
        let begin = DispatchTime.now().uptimeNanoseconds
        let turns = Set((0..<rotations).map { lines * ($0 + 1) / (rotations + 1) })
        for number in 0..<lines {
            if turns.contains(number) { try log.rotate() }
            let key = try traffic.line { try log.write($0) }
            counts[key, default: 0] += 1
            guard rate > 0, number % max(1, rate / 100) == 0 else { continue }
            try log.flush()
            let passed = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
            Thread.sleep(forTimeInterval: max(0, Double(number) / Double(rate) - passed))
        }
        try log.flush()
        let rows = ["\(log.size)"] + counts.map { "\($0.key.second)\t\($0.key.status)\t\($0.value)" }
        try rows.joined(separator: "\n").write(toFile: Place.truth(folder), atomically: true, encoding: .utf8)
    }
}

struct RotatedLog {
    private let path: String
    private var descriptor: Int32
    private var rotations = 0
    private var buffer: [UInt8] = []
    /// The size of all files, in bytes.
    private(set) var size = 0

    init(path: String) throws {
        self.path = path
        descriptor = try Self.begin(path)
        buffer.reserveCapacity(64 << 10)
    }

    private static func begin(_ path: String) throws -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.failure }
        return descriptor
    }

    private static var failure: any Error { NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }

    /// Buffers the line. The file receives blocks of bytes, which may end within a line.
    mutating func write(_ line: some Sequence<UInt8>) throws {
        buffer.append(contentsOf: line)
        if buffer.count >= 32_768 { try flush(upTo: 32_768) }
    }

    mutating func flush() throws {
        try flush(upTo: buffer.count)
    }

    private mutating func flush(upTo end: Int) throws {
        var begin = 0
        while begin < end {
            let count = buffer.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress! + begin, end - begin) }
            guard count >= 0 || errno == EINTR else { throw Self.failure }
            begin += max(0, count)
        }
        size += end
        buffer.removeSubrange(..<end)
    }

    /// Renames the files and creates a new log, in the order that `LogFiles` describes. The buffered bytes go to the
    /// renamed log.
    mutating func rotate() throws {
        for age in stride(from: rotations, through: 0, by: -1) {
            guard rename(age == 0 ? path : "\(path).\(age)", "\(path).\(age + 1)") == 0 else { throw Self.failure }
        }
        rotations += 1
        try flush()
        close(descriptor)
        descriptor = try Self.begin(path)
    }
}

/// The lines of a log, nearly in order: five thousand for each second. One in a thousand is some seconds late; one in
/// ten thousand is half a minute late.
struct Traffic {
    private let begin: Int
    private var number = 0
    private var dice: UInt64 = 1
    private var times: [Int: [UInt8]] = [:]
    private var bytes: [UInt8] = []

    init(begin: Int) {
        self.begin = begin
    }

    private static let ofASecond = 5_000
    /// Statuses with cumulative percentages.
    private static let statuses = [(200, 90), (304, 94), (404, 97), (500, 98), (503, 100)]

    /// Passes the next line to `body`. Returns that line's time, in seconds, and its status.
    mutating func line(_ body: ([UInt8]) throws -> Void) rethrows -> Key {
        let late = roll(10_000) == 0 ? 30 : roll(1_000) == 0 ? 1 + roll(4) : 0
        let second = max(begin, begin + number / Self.ofASecond - late)
        let die = roll(100), status = Self.statuses.first { die < $0.1 }!.0
        bytes.removeAll(keepingCapacity: true)
        bytes += time(second)
        add(number % Self.ofASecond * 1_000 / Self.ofASecond, digits: 3)
        bytes += "Z 203.0.113.".utf8
        add(roll(256))
        bytes += " GET /orders/".utf8
        add(roll(100_000))
        bytes.append(UInt8(ascii: " "))
        add(status)
        bytes.append(UInt8(ascii: " "))
        add(roll(90))
        bytes.append(UInt8(ascii: "\n"))
        number += 1
        try body(bytes)
        return Key(second: second, status: status)
    }

    private mutating func add(_ number: Int, digits: Int = 1) {
        if number > 9 || digits > 1 { add(number / 10, digits: digits - 1) }
        bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    /// Returns a pseudo-random number, the same in each run.
    private mutating func roll(_ sides: Int) -> Int {
        dice = dice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((dice >> 33) % UInt64(sides))
    }

    /// Returns a time up to and including the decimal point. Each second is formatted only once.
    private mutating func time(_ second: Int) -> [UInt8] {
        if let time = times[second] { return time }
        var clock = time_t(second), parts = tm()
        gmtime_r(&clock, &parts)
        let time = String(
            format: "%04d-%02d-%02dT%02d:%02d:%02d.", Int(parts.tm_year) + 1_900, Int(parts.tm_mon) + 1,
            Int(parts.tm_mday), Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
        times[second] = Array(time.utf8)
        return Array(time.utf8)
    }
}
