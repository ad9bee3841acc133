/// The contents of `/proc` at one moment. Counters run from the machine's start.
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
