import Foundation
import Testing

@testable import rx_vitals

struct ReaderTests {
    @Test func readsThisMachine() {
        let reading = Reader().read()
        #expect(reading.moment > 0)
        #expect(reading.memory.total > 0)
        #expect(reading.processes.keys.contains { $0.pid == ProcessInfo.processInfo.processIdentifier })
    }

    @Test func missingFilesAreOmitted() {
        let reading = Reader(root: "/nowhere").read()
        #expect(reading == Reading(moment: reading.moment))
    }

    @Test func aProcessThatCannotBeReadIsLeftOut() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("vitals-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        // Process 7 has vanished since its folder was listed. The file `stat` of process 8 is a folder, which cannot be
        // read. Process 9 is alive.
        for folder in ["7", "8/stat", "9", "self"] {
            try FileManager.default.createDirectory(
                at: root.appendingPathComponent(folder), withIntermediateDirectories: true)
        }
        try "9 (x) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 5 0 3 0\n"
            .write(to: root.appendingPathComponent("9/stat"), atomically: true, encoding: .utf8)
        #expect(
            Array(Reader(root: root.path).read().processes.values) == [process(9, "x", ticks: 2, started: 5, pages: 3)])
    }

    @Test func fileLongerThanOneReadIsReadWhole() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("vitals-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        let text = (0..<2000).map { "cpu\($0) 1 2 3 4 5 6 7 8 0 0" }.joined(separator: "\n")
        try text.write(to: root.appendingPathComponent("stat"), atomically: true, encoding: .utf8)
        #expect(Reader(root: root.path).read().cpus.count == 2000)
    }
}
