#if canImport(Testing)
    internal import Testing
#endif
#if canImport(XCTest)
    internal import XCTest
#endif

import RxSwift

/// A place in a test's source, at which failures are reported to the framework that runs the test.
struct Site {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt

    /// Fails the test.
    ///
    /// Swift Testing knows its test by a value of the task, so on other threads it may be running, too, or it may not
    /// be there at all. Then both frameworks are told: the one that does not run drops it. In a program that runs no
    /// tests both do, and standard error has it.
    func fail(_ message: String) {
        #if canImport(Testing)
            let location = SourceLocation(
                fileID: "\(fileID)", filePath: "\(filePath)", line: Int(line), column: Int(column))
            Issue.record(Comment(rawValue: message), sourceLocation: location)
            guard Test.current == nil else { return }
        #endif
        #if canImport(XCTest)
            XCTFail(message, file: filePath, line: line)
        #endif
        if let words = unheard(message, in: CommandLine.arguments.first ?? "") { StandardError.say(words) }
    }

    /// The line that says of a failure what no framework does; nil in a program that runs tests.
    func unheard(_ message: String, in program: String) -> String? {
        if ["xctest", "swiftpm-testing-helper", "test-runner"].contains(where: program.hasSuffix) { return nil }
        let summary = message.prefix { $0 != "\n" }
        return "\(filePath):\(line): expect fails outside of a test, where nothing else says so: \(summary)"
    }
}
