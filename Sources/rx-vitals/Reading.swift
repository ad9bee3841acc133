/// Everything read from `/proc` at one moment. Counters run from the machine's start: it takes two readings to know a
/// rate.
struct Reading: Equatable {
    /// Nanoseconds on the monotonic clock.
    var moment: UInt64 = 0
    var cpus: [String: CPUTimes] = [:]
    var memory = Memory()
    var load = LoadAverage()
    var disks: [String: Traffic] = [:]
    var networks: [String: Traffic] = [:]
    var processes: [ProcessTimes.ID: ProcessTimes] = [:]
}
