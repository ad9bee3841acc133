/// The ticks of one core or of all cores, since the machine started.
struct CPUTimes: Equatable {
    var busy: UInt64
    var total: UInt64

    /// The share of the time since `earlier` that was not idle.
    func load(since earlier: CPUTimes) -> Double {
        let total = total.since(earlier.total)
        return total == 0 ? 0 : min(1, Double(busy.since(earlier.busy)) / Double(total))
    }
}

extension CPUTimes {
    /// Reads `/proc/stat`: `cpu` for the whole machine, and `cpu0`, `cpu1` and so on. An offline core has no line.
    static func parse(_ text: String) -> [String: CPUTimes] {
        var times: [String: CPUTimes] = [:]
        for line in fields(of: text) where line.count > 4 && line[0].hasPrefix("cpu") {
            // The fields are `user nice system idle iowait irq softirq steal`. The later fields, the guests' time, are
            // already part of user and nice.
            let ticks = line[1...].prefix(8).map { UInt64($0) ?? 0 }
            let total = ticks.reduce(0, &+)
            let idle = ticks[3] &+ (ticks.count > 4 ? ticks[4] : 0)
            times[String(line[0])] = CPUTimes(busy: total.since(idle), total: total)
        }
        return times
    }
}
