import Foundation
import Testing

@testable import rx_stress

struct ReportFolderTests {
    private let scratch = FileManager.default.temporaryDirectory.appending(path: "rx-stress-\(UUID().uuidString)")

    @Test func folderIsCreatedEmpty() throws {
        defer { try? FileManager.default.removeItem(at: scratch) }
        let folder = try ReportFolder(scratch.path + "/a//b/")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func unwritableFolderThrowsAtOnce() throws {
        defer { try? FileManager.default.removeItem(at: scratch) }
        try Data().write(to: scratch)
        #expect(throws: ReportFolder.Unwritable.self) { try ReportFolder(scratch.path + "/below-a-file") }
        #expect(throws: ReportFolder.Unwritable.self) { try ReportFolder(scratch.path) }
    }

    @Test func anEarlierReportStaysUntilThereIsANewOneAndCanBeComparedWith() throws {
        defer { try? FileManager.default.removeItem(at: scratch) }
        _ = try Summary.example(["take"]).write(to: ReportFolder(scratch.path), comparedWith: nil)
        _ = try ReportFolder(scratch.path)
        let earlier = try EarlierReport.read(from: scratch.path)
        #expect(earlier.figures(of: "take")?.operationsPerSecond == 400)
        #expect(earlier.origin == Origin.example())
    }

    @Test func comparisonWithInvalidReportThrows() throws {
        defer { try? FileManager.default.removeItem(at: scratch) }
        let folder = try ReportFolder(scratch.path)
        #expect(throws: EarlierReport.Unreadable.self) { try EarlierReport.read(from: folder.path) }
        try Data("{}".utf8).write(to: URL(filePath: folder.json))
        #expect(throws: EarlierReport.Unreadable.self) { try EarlierReport.read(from: folder.path) }
    }
}
