import Foundation
import Testing

@testable import rx_vitals

@Suite(.serialized) struct OutputTests {
    @Test func aLineOfJSONIsOneObject() throws {
        let frame = Frame(
            vitals: .example(busy: 0.95, processes: [Vitals.Process(pid: 1, name: "a\"\n/b", cpu: 1.5, memory: 4096)]),
            alarms: [.cpu])
        let line = try JSONLines.line(frame, at: Date(timeIntervalSince1970: 1000.5))
        #expect(
            line == """
                {"alarms":["cpu"],"cpu":{"busy":0.95,"cores":[]},"disks":[],\
                "load":{"fifteenMinutes":0,"fiveMinutes":0,"oneMinute":0},\
                "memory":{"swapTotal":0,"swapUsed":0,"total":0,"used":0},"networks":[],\
                "processes":[{"cpu":1.5,"memory":4096,"name":"a\\"\\n/b","pid":1}],"time":1000.5}

                """)
    }

    @Test func theTableNamesAlarmsAndProcesses() {
        let frame = Frame(
            vitals: .example(
                busy: 0.5, processes: [Vitals.Process(pid: 12, name: "swift", cpu: 1.25, memory: 3_210_000)]),
            alarms: [.cpu])
        let lines = Table.lines(frame)
        #expect(lines.first == "load  0.00 0.00 0.00  ALARM: cpu over 90.0 %")
        #expect(lines[1] == "cpu   [|||||||||||||||               ]  50.0 %")
        #expect(lines.last == "      12  125.0 %   3.21 MB  swift")
    }

    @Test func writeToNonBlockingDescriptorWaits() throws {
        let pipe = Pipe()
        let file = pipe.fileHandleForWriting.fileDescriptor
        #expect(fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK) == 0)
        let text = String(repeating: "x", count: 1 << 20)
        let read = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var rest = text.utf8.count
            while rest > 0 { rest -= pipe.fileHandleForReading.availableData.count }
            read.signal()
        }
        try write(text, to: file)
        read.wait()
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (9994, "9.99 kB"), (9996, "10.0 kB"), (99_960, "100 kB"),
        (999_600, "1.00 MB"),
        (2e18, "2000 PB"),
    ])
    func amountsHaveThreeFigures(amount: Double, text: String) {
        #expect(bytes(amount) == text)
    }
}
