#if canImport(Testing)
    internal import Testing
#endif
#if canImport(XCTest)
    internal import XCTest
#endif

/// A place in a test's source, at which failures are reported to the framework that runs the test.
struct Site {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt

    /// Fails the test.
    ///
    /// Swift Testing knows its test by a value of the task, so on other threads it may be running, too, or it may not
    /// be there at all. Then both frameworks are told: the one that does not run drops it.
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
    }
}
