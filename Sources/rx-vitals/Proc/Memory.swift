/// Memory and swap, in bytes.
struct Memory: Equatable, Encodable {
    var total: UInt64 = 0
    var used: UInt64 = 0
    var swapTotal: UInt64 = 0
    var swapUsed: UInt64 = 0

    var share: Double { total == 0 ? 0 : Double(used) / Double(total) }
}

extension Memory {
    /// Reads `/proc/meminfo`. Caches count as free, because a new program can use their memory.
    static func parse(_ text: String) -> Memory {
        var bytes: [Substring: UInt64] = [:]
        for line in fields(of: text) {
            guard let amount = line.number(1), amount < UInt64.max >> 10 else { continue }
            bytes[line[0].dropLast()] = amount << 10
        }
        func value(_ name: Substring) -> UInt64 { bytes[name] ?? 0 }
        // Kernels before 3.14 do not report MemAvailable.
        let available = bytes["MemAvailable"] ?? value("MemFree") &+ value("Buffers") &+ value("Cached")
        return Memory(
            total: value("MemTotal"), used: value("MemTotal").since(available),
            swapTotal: value("SwapTotal"), swapUsed: value("SwapTotal").since(value("SwapFree")))
    }
}
