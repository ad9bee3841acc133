import Testing

@testable import rx_vitals

struct VitalsTests {
    let units = Units(ticksPerSecond: 100, pageSize: 4096)

    @Test func ratesAreBytesASecondOfTheTimeThatPassed() {
        let earlier = Reading(
            moment: 0, disks: ["vda": Traffic(input: 0, output: 500)],
            networks: ["eth0": Traffic(input: 10, output: 10)])
        let later = Reading(
            moment: 2_000_000_000, disks: ["vda": Traffic(input: 3000, output: 500)],
            networks: ["eth0": Traffic(input: 30, output: 0)])
        let vitals = Vitals(from: earlier, to: later, top: 5, units: units)
        #expect(vitals.disks == [Vitals.Disk(name: "vda", read: 1500, written: 0)])
        #expect(vitals.networks == [Vitals.Network(name: "eth0", received: 10, sent: 0)])
    }

    @Test func aDeviceThatHasJustAppearedHasNoRateYet() {
        let later = Reading(
            moment: 1, cpus: ["cpu1": CPUTimes(busy: 1, total: 2)], disks: ["sdb": Traffic(input: 1, output: 1)])
        let vitals = Vitals(from: Reading(), to: later, top: 5, units: units)
        #expect(vitals.disks.isEmpty)
        #expect(vitals.cpu.cores.isEmpty)
    }

    @Test func coresComeByTheirNumber() {
        func reading(_ busy: UInt64, _ total: UInt64) -> Reading {
            Reading(
                moment: total,
                cpus: ["cpu", "cpu2", "cpu10", "cpu1"].reduce(into: [:]) { $0[$1] = CPUTimes(busy: busy, total: total) }
            )
        }
        let vitals = Vitals(from: reading(0, 0), to: reading(1, 3), top: 5, units: units)
        #expect(vitals.cpu == Vitals.CPU(busy: 0.333, cores: [1, 2, 10].map { Vitals.Core(number: $0, busy: 0.333) }))
    }

    @Test func theBusiestProcessesComeFirstAndTheIdleNotAtAll() {
        let earlier = readings(
            [process(1, "a", ticks: 100), process(2, "b", ticks: 100), process(3, "c", ticks: 100)], at: 0)
        let later = readings(
            [
                process(1, "a", ticks: 110), process(2, "b", ticks: 300, pages: 2), process(3, "c", ticks: 100),
                process(4, "d", ticks: 50),
            ],
            at: 1)
        #expect(
            Vitals(from: earlier, to: later, top: 2, units: units).processes == [
                Vitals.Process(pid: 2, name: "b", cpu: 2, memory: 8192),
                Vitals.Process(pid: 4, name: "d", cpu: 0.5, memory: 0),
            ])
    }

    @Test func reusedProcessNumberIsNewProcess() {
        let earlier = readings([process(7, "old", ticks: 1000, started: 1)], at: 0)
        let later = readings([process(7, "new", ticks: 20, started: 2)], at: 1)
        #expect(Vitals(from: earlier, to: later, top: 5, units: units).processes.map(\.cpu) == [0.2])
    }

    private func readings(_ processes: [ProcessTimes], at second: UInt64) -> Reading {
        Reading(moment: second * 1_000_000_000, processes: processes.reduce(into: [:]) { $0[$1.id] = $1 })
    }
}

extension Vitals {
    static func example(busy: Double, processes: [Process] = []) -> Vitals {
        Vitals(
            cpu: CPU(busy: busy, cores: []), memory: Memory(), load: LoadAverage(), disks: [], networks: [],
            processes: processes)
    }
}
