#if canImport(Testing)
    internal import Testing
#endif
#if canImport(XCTest)
    internal import XCTest
#endif

import RxSwift

struct Site {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt

    /// Swift Testing identifies the current test by a task-local value. Without that value, the failure is reported to
    /// Swift Testing and XCTest; the framework that does not run the test ignores it. In a program without tests, the
    /// failure is written to standard error.
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

    /// The message for a failure outside a test, which no framework reports; nil in a program that runs tests.
    func unheard(_ message: String, in program: String) -> String? {
        if ["xctest", "swiftpm-testing-helper", "test-runner"].contains(where: program.hasSuffix) { return nil }
        let summary = message.prefix { $0 != "\n" }
        return "\(filePath):\(line): expect failed outside a test, so no test framework reports it: \(summary)"
    }
}
