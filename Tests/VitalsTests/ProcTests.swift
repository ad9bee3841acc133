import Testing

@testable import rx_vitals

struct ProcTests {
    @Test func cpuTimesCountIdleAndWaitingAsIdle() {
        let times = CPUTimes.parse(
            """
            cpu  10 20 30 400 50 6 7 8 9 10
            cpu3 1 0 1 7 1 0 0 0 0 0
            intr 12345 0 0
            """)
        #expect(times == ["cpu": CPUTimes(busy: 81, total: 531), "cpu3": CPUTimes(busy: 2, total: 10)])
    }

    @Test func cpuTimesTakeABlankLineForNone() {
        #expect(CPUTimes.parse(" \ncpu 1 0 0 1 0\n") == ["cpu": CPUTimes(busy: 1, total: 2)])
    }

    @Test func cpuLoadIsTheBusyShareOfTheTimeBetween() {
        let earlier = CPUTimes(busy: 100, total: 1000)
        #expect(CPUTimes(busy: 125, total: 1100).load(since: earlier) == 0.25)
        #expect(earlier.load(since: earlier) == 0)
        #expect(CPUTimes(busy: 90, total: 1100).load(since: earlier) == 0)
    }

    @Test func memoryInUseIsTotalMinusAvailable() {
        let text =
            "MemTotal:       1000 kB\nMemFree:  100 kB\nMemAvailable:    600 kB\nSwapTotal:   50 kB\nSwapFree: 20 kB\nHugePages_Total:  0\n"
        #expect(Memory.parse(text) == Memory(total: 1_024_000, used: 409_600, swapTotal: 51_200, swapUsed: 30_720))
    }

    @Test func memoryOfAnOldKernelCountsCachesAsFree() {
        #expect(Memory.parse("MemTotal: 10 kB\nMemFree: 2 kB\nBuffers: 1 kB\nCached: 3 kB\n").used == 4096)
    }

    @Test func loadAverage() {
        #expect(
            LoadAverage.parse("0.42 1.31 12.00 2/345 6789\n")
                == LoadAverage(oneMinute: 0.42, fiveMinutes: 1.31, fifteenMinutes: 12))
    }

    @Test func unusedDisksLoopDevicesAndPartitionsAreOmitted() {
        let text = """
               7       0 loop0 5 0 9 0 0 0 0 0 0 0 0
             254       0 vda 10 0 4 0 20 0 6 0 0 0 0
             254       1 vda1 10 0 4 0 20 0 6 0 0 0 0
             259       0 nvme0n1 1 0 1 0 1 0 1 0 0 0 0
             259       1 nvme0n1p2 1 0 1 0 1 0 1 0 0 0 0
             253       1 dm-1 1 0 2 0 0 0 0 0 0 0 0
             253      10 dm-10 1 0 3 0 0 0 0 0 0 0 0
               8       0 sda 0 0 0 0 0 0 0 0 0 0 0
            """
        #expect(
            Traffic.parseDisks(text) == [
                "vda": Traffic(input: 2048, output: 3072), "nvme0n1": Traffic(input: 512, output: 512),
                "dm-1": Traffic(input: 1024, output: 0), "dm-10": Traffic(input: 1536, output: 0),
            ])
    }

    @Test func networksAreUsedAndNotTheLoopback() {
        let text = """
            Inter-|   Receive                                                |  Transmit
             face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
                lo:    3193      29    0    0    0     0          0         0     3193      29    0    0    0     0       0          0
              ifb0:       0       0    0    0    0     0          0         0        0       0    0    0    0     0       0          0
              eth0:14466183     370    0    0    0     0          0         0    22749     277    0    0    0     0       0          0
            eth0:1: 5 0 0 0 0 0 0 0 6 0 0 0 0 0 0 0
            """
        #expect(
            Traffic.parseNetworks(text) == [
                "eth0": Traffic(input: 14_466_183, output: 22_749), "eth0:1": Traffic(input: 5, output: 6),
            ])
    }

    @Test func processWithBracketsInItsName() {
        let text =
            "42 (a) R (b c) S 1 42 42 0 -1 4194304 100 0 0 0 30 12 0 0 20 0 1 0 777 1000000 250 18446744073709551615 1\n"
        #expect(ProcessTimes.parse(text) == process(42, "a) R (b c", ticks: 42, started: 777, pages: 250))
    }

    @Test(arguments: ["\u{301}x", "x\u{600}", "\u{301}"])
    func aNameThatJoinsWithItsBracketsHidesNoProcess(name: String) {
        let text = "42 (\(name)) S 1 42 42 0 -1 4194304 100 0 0 0 30 12 0 0 20 0 1 0 777 1000000 250 0\n"
        let shown = name.replacing("\u{600}", with: "?")
        #expect(ProcessTimes.parse(text) == process(42, shown, ticks: 42, started: 777, pages: 250))
    }

    @Test func processNameCannotDriveTheTerminal() {
        let text = "1 (\u{1b}[2J\u{9b}x\n) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 5 0 0 0\n"
        #expect(ProcessTimes.parse(text)?.name == "?[2J?x?")
    }

    @Test(arguments: [
        "", "\n", "cpu", "cpu 1 2", "eth0:", "Inter-|", "1 (x", ")(", "MemTotal:", "1 (x) S",
        "99999999999999999999 (x) S",
    ])
    func truncatedTextParsesToNothing(text: String) {
        #expect(CPUTimes.parse(text).isEmpty)
        #expect(Memory.parse(text) == Memory())
        #expect(LoadAverage.parse(text) == LoadAverage())
        #expect(Traffic.parseDisks(text).isEmpty)
        #expect(Traffic.parseNetworks(text).isEmpty)
        #expect(ProcessTimes.parse(text) == nil)
    }
}

func process(_ pid: Int, _ name: String, ticks: UInt64, started: UInt64 = 1, pages: UInt64 = 0) -> ProcessTimes {
    ProcessTimes(id: ProcessTimes.ID(pid: pid, started: started), name: name, ticks: ticks, residentPages: pages)
}
