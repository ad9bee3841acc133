import Foundation
import Testing

@Suite(.serialized) struct ProgramTests {
    private func run(_ words: String) throws -> (status: Int32, errors: String) {
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "exec \"$0\" \(words)", folder.appendingPathComponent("rx-vitals").path]
        let errors = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, said)
    }

    @Test func itReadsAndEnds() throws {
        let (status, errors) = try run("--seconds 1 --every 200 --json")
        #expect(status == 0)
        #expect(errors == "")
    }

    @Test(
        arguments: ["--help", "--seconds 1 --every 200"],
        [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")])
    func anOutputThatCannotBeWrittenIsAFault(options: String, output: (redirection: String, why: String)) throws {
        let (status, errors) = try run("\(options) \(output.redirection)")
        #expect(status == 1)
        #expect(errors == "rx-vitals: cannot write: \(output.why)\n")
    }

    @Test(arguments: ["INT", "TERM"]) func anInterruptEndsIt(signal: String) throws {
        let (status, errors) = try run("--every 3600000 & sleep 1; kill -\(signal) $!; wait $!")
        #expect(status == 0)
        #expect(errors == "")
    }
}
