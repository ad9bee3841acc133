/// The machine's state between two readings. Shares are from 0 to 1, rates in bytes per second.
struct Vitals: Equatable, Encodable {
    struct CPU: Equatable, Encodable {
        var busy: Double
        /// The online cores, by number.
        var cores: [Core]
    }

    struct Core: Equatable, Encodable {
        var number: Int
        var busy: Double
    }

    struct Disk: Equatable, Encodable {
        var name: String
        var read: Double
        var written: Double
    }

    struct Network: Equatable, Encodable {
        var name: String
        var received: Double
        var sent: Double
    }

    struct Process: Equatable, Encodable {
        var pid: Int
        var name: String
        /// The average number of cores used.
        var cpu: Double
        var memory: UInt64
    }

    var cpu: CPU
    var memory: Memory
    var load: LoadAverage
    var disks: [Disk]
    var networks: [Network]
    var processes: [Process]
}

/// Converts ticks to seconds and pages to bytes.
struct Units: Sendable {
    var ticksPerSecond: Double
    var pageSize: UInt64
}

extension Vitals {
    init(from earlier: Reading, to later: Reading, top: Int, units: Units) {
        let seconds = max(Double(later.moment.since(earlier.moment)) / 1e9, 1e-3)
        func busy(_ name: String) -> Double? {
            guard let now = later.cpus[name], let before = earlier.cpus[name] else { return nil }
            return now.load(since: before).rounded(to: 1000)
        }
        func rates(_ devices: KeyPath<Reading, [String: Traffic]>) -> [(name: String, input: Double, output: Double)] {
            later[keyPath: devices].sorted { $0.key < $1.key }.compactMap { name, now in
                guard let before = earlier[keyPath: devices][name] else { return nil }
                let input = Double(now.input.since(before.input)) / seconds
                let output = Double(now.output.since(before.output)) / seconds
                return (name, input.rounded(), output.rounded())
            }
        }
        let cores = later.cpus.keys.compactMap { name in
            Int(name.dropFirst(3)).flatMap { number in busy(name).map { Core(number: number, busy: $0) } }
        }
        // A new process has used all of its ticks since the earlier reading.
        let busiest = later.processes.values
            .map { now in (now, ticks: now.ticks.since(earlier.processes[now.id]?.ticks ?? 0)) }
            .filter { $0.ticks > 0 }
            .sorted { ($0.ticks, $1.0.id.pid) > ($1.ticks, $0.0.id.pid) }

        cpu = CPU(busy: busy("cpu") ?? 0, cores: cores.sorted { $0.number < $1.number })
        memory = later.memory
        load = later.load
        disks = rates(\.disks).map { Disk(name: $0.name, read: $0.input, written: $0.output) }
        networks = rates(\.networks).map { Network(name: $0.name, received: $0.input, sent: $0.output) }
        processes = busiest.prefix(top).map { process, ticks in
            Process(
                pid: process.id.pid, name: process.name,
                cpu: (Double(ticks) / units.ticksPerSecond / seconds).rounded(to: 1000),
                memory: process.residentPages &* units.pageSize)
        }
    }
}

extension Double {
    fileprivate func rounded(to parts: Double) -> Double { (self * parts).rounded() / parts }
}
