public import Foundation
import RxSwift
import Synchronization

/// Another process of this program, which says lines: a word and others.
///
/// Used by one task.
public final class Child {
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    private var lines: BoundedValues<String>.Iterator

    private static let running = Mutex<Set<Int32>>([])

    /// Its number for the system.
    public var identifier: Int32 { process.processIdentifier }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - arguments: what it is told.
    ///   - errors: where what it says on standard error goes; where this process says it, unless given.
    public init(_ arguments: [String], errors: FileHandle? = nil) throws {
        process = another(arguments, output: output)
        process.standardInput = input
        if let errors { process.standardError = errors }
        lines = Observable.lines(of: output.fileHandleForReading).values(buffering: .pausing(1_024)).makeAsyncIterator()
        try process.run()
        let identifier = process.processIdentifier
        _ = Self.running.withLock { $0.insert(identifier) }
    }

    /// It has ended where something was expected of it.
    public struct Ended: Error, CustomStringConvertible {
        public let description = "a server or client process has ended"
    }

    /// The other words of its next line.
    public func next() async throws -> [Substring] {
        guard let line = try await lines.next() else { throw Ended() }
        return line.split(separator: " ")
    }

    /// The other words of its next line that begins with a word.
    public func next(_ word: String) async throws -> [Substring] {
        while true {
            let words = try await next()
            if words.first?.elementsEqual(word) == true { return Array(words.dropFirst()) }
        }
    }

    /// Asks it for something.
    public func say(_ line: String = "") throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Sends it a signal.
    public func signal(_ number: Int32) {
        Foundation.kill(identifier, number)
    }

    /// Waits until it has ended; its exit status, or 128 and the signal that has ended it.
    public func end() async throws -> Int32 {
        while try await lines.next() != nil {}
        process.waitUntilExit()
        let identifier = identifier
        _ = Self.running.withLock { $0.remove(identifier) }
        return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    }

    /// Ends it, also where it is stopped.
    public func kill() {
        let identifier = identifier
        guard Self.running.withLock({ $0.remove(identifier) }) != nil else { return }
        Foundation.kill(identifier, SIGKILL)
        process.waitUntilExit()
    }

    /// From now on those that run end with this process, also where it is interrupted. Of one that has ended by itself
    /// ``say(_:)`` throws.
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

    /// Never changes.
    private struct Kept: @unchecked Sendable {
        let source: any DispatchSourceSignal
    }

    private static let sources = Mutex<[Kept]>([])
}
