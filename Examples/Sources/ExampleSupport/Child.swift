public import Foundation
import RxSwift
import Synchronization

/// A child process that runs this executable. It prints lines that begin with the name of a message, and reads commands
/// from its standard input, one per line. Only one task may use a child.
public final class Child {
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    private var lines: BoundedValues<String>.Iterator

    private static let running = Mutex<Set<Int32>>([])

    public var identifier: Int32 { process.processIdentifier }

    /// Starts the process. If `errors` is nil, the child writes errors to this process's standard error.
    public init(_ arguments: [String], errors: FileHandle? = nil) throws {
        process = another(arguments, output: output)
        process.standardInput = input
        if let errors { process.standardError = errors }
        lines = Observable.lines(of: output.fileHandleForReading).values(buffering: .pausing(1_024)).makeAsyncIterator()
        try process.run()
        let identifier = process.processIdentifier
        _ = Self.running.withLock { $0.insert(identifier) }
    }

    public struct Ended: Error, CustomStringConvertible {
        public let description = "a server or client process has ended"
    }

    public func next() async throws -> [Substring] {
        guard let line = try await lines.next() else { throw Ended() }
        return line.split(separator: " ")
    }

    /// Skips lines until one begins with `word`, and returns the remaining words of that line.
    public func next(_ word: String) async throws -> [Substring] {
        while true {
            let words = try await next()
            if words.first?.elementsEqual(word) == true { return Array(words.dropFirst()) }
        }
    }

    public func say(_ line: String = "") throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    public func signal(_ number: Int32) {
        Foundation.kill(identifier, number)
    }

    /// Waits for the child's end. Returns the exit status, or 128 plus the number of the signal that ended the process.
    public func end() async throws -> Int32 {
        while try await lines.next() != nil {}
        process.waitUntilExit()
        let identifier = identifier
        _ = Self.running.withLock { $0.remove(identifier) }
        return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    }

    public func kill() {
        let identifier = identifier
        guard Self.running.withLock({ $0.remove(identifier) }) != nil else { return }
        Foundation.kill(identifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Makes SIGINT and SIGTERM kill all children and end this process. Also ignores SIGPIPE, so that sending a line to
    /// a child that has ended throws an error.
    public static func endWithThisProcess() {
        Foundation.signal(SIGPIPE, SIG_IGN)
        for number in [SIGINT, SIGTERM] {
            Foundation.signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                for identifier in running.withLock({ $0 }) { Foundation.kill(identifier, SIGKILL) }
                exit(128 + number)
            }
            source.resume()
            sources.withLock { $0.append(Kept(source: source)) }
        }
    }

    /// `@unchecked Sendable` because `source` never changes.
    private struct Kept: @unchecked Sendable {
        let source: any DispatchSourceSignal
    }

    private static let sources = Mutex<[Kept]>([])
}
