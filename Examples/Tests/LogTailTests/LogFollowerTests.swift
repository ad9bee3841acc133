import Foundation
import LogTailModel
import RxSwift
import Synchronization
import Testing

@Suite struct LogFollowerTests {
    private final class Log {
        let folder = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID().uuidString)")
        private var handle: FileHandle?
        private var rotations = 0
        let isOver = Flag()

        var path: String { folder.appending(path: "access.log").path }

        init() throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        deinit {
            try? FileManager.default.removeItem(at: folder)
        }

        func begin() throws {
            try Data().write(to: URL(filePath: path))
            handle = try FileHandle(forWritingTo: URL(filePath: path))
        }

        func write(_ text: String) throws {
            if handle == nil { try begin() }
            try handle?.write(contentsOf: Data(text.utf8))
        }

        /// The writer may still write to the renamed log.
        func rename() throws {
            for age in stride(from: rotations, through: 0, by: -1) {
                let name = age == 0 ? path : "\(path).\(age)"
                try FileManager.default.moveItem(atPath: name, toPath: "\(path).\(age + 1)")
            }
            rotations += 1
        }

        func rotate() throws {
            try rename()
            try begin()
        }

        func lines() -> Observable<String> {
            .lines(ofLog: path, lookingEvery: .milliseconds(1), until: { [isOver] in isOver.isSet })
        }
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    @Test func allFilesAreReadTheOldestFirst() async throws {
        let log = try Log()
        for number in 1...12 {
            try log.write("\(number)\n")
            if number < 12 { try log.rotate() }
        }
        log.isOver.set()
        #expect(try await log.lines().toArray().value == (1...12).map(String.init))
    }

    @Test func aFileThatGrowsIsFollowed() async throws {
        let log = try Log()
        var lines = log.lines().values(buffering: .pausing(8)).makeAsyncIterator()
        try log.write("one\ntw")
        #expect(try await lines.next() == "one")
        try log.write("o\n")
        #expect(try await lines.next() == "two")
        log.isOver.set()
        #expect(try await lines.next() == nil)
    }

    @Test func missingLogIsAwaited() async throws {
        let log = try Log()
        let source = log.lines()
        async let lines = source.toArray().value
        try log.write("one\n")
        log.isOver.set()
        #expect(try await lines == ["one"])
    }

    @Test func linesWrittenAfterTheRenameAreReadBeforeTheNextFile() async throws {
        let log = try Log()
        try log.write("one\n")
        var lines = log.lines().values(buffering: .pausing(8)).makeAsyncIterator()
        #expect(try await lines.next() == "one")
        try log.rename()
        try log.write("two\n")
        #expect(try await lines.next() == "two")
        try log.begin()
        try log.write("three\n")
        #expect(try await lines.next() == "three")
        log.isOver.set()
        #expect(try await lines.next() == nil)
    }

    @Test func aNewFileThatIsEmptyDoesNotEndTheOldOne() async throws {
        let log = try Log()
        try log.write("one\n")
        var lines = log.lines().values(buffering: .pausing(8)).makeAsyncIterator()
        #expect(try await lines.next() == "one")
        // As with logrotate, the new file exists before the writer opens it.
        try log.rename()
        try Data().write(to: URL(filePath: log.path))
        try log.write("two\n")
        #expect(try await lines.next() == "two")
        try log.begin()
        try log.write("three\n")
        #expect(try await lines.next() == "three")
        log.isOver.set()
        #expect(try await lines.next() == nil)
    }

    @Test func pausedReaderLosesNothingOverManyRotations() async throws {
        let log = try Log()
        let numbers = (0..<60_000).map(String.init)
        try log.write(numbers[..<6_000].joined(separator: "\n") + "\n")
        var lines = log.lines().values(buffering: .pausing(4)).makeAsyncIterator()
        #expect(try await lines.next() == "0")
        for part in 1..<10 {
            try log.rotate()
            try log.write(numbers[(part * 6_000)..<((part + 1) * 6_000)].joined(separator: "\n") + "\n")
        }
        log.isOver.set()
        for number in numbers.dropFirst() {
            guard try await lines.next() == number else {
                Issue.record("\(number) is not in its place")
                break
            }
        }
        #expect(try await lines.next() == nil)
    }

    @Test func emptyFileBetweenTwoIsSkipped() async throws {
        let log = try Log()
        try log.write("one\n")
        try log.rotate()
        try log.rotate()
        try log.write("two\n")
        log.isOver.set()
        #expect(try await log.lines().toArray().value == ["one", "two"])
    }

    @Test func textAfterTheLastNewlineOfAFileIsALine() async throws {
        let log = try Log()
        try log.write("one")
        try log.rotate()
        try log.write("two")
        log.isOver.set()
        #expect(try await log.lines().toArray().value == ["one", "two"])
    }

    @Test func fileDeletedBeforeItsTurnIsAnError() async throws {
        let log = try Log()
        try log.write("one\n")
        var lines = log.lines().values(buffering: .pausing(1)).makeAsyncIterator()
        #expect(try await lines.next() == "one")
        try log.rotate()
        try FileManager.default.removeItem(atPath: "\(log.path).1")
        try log.write("two\n")
        await #expect(throws: LogError.lost(path: log.path)) { while try await lines.next() != nil {} }
    }
}
