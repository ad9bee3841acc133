import ExampleSupport
import Foundation
import RxSwift
import Synchronization

/// Another process of this program, which says lines: a word and numbers.
///
/// Used by one task.
final class Child {
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    private var lines: BoundedValues<String>.Iterator
    /// The numbers of the lines that began with `second`.
    private(set) var seconds: [[Double]] = []

    private static let running = Mutex<Set<Int32>>([])

    var identifier: Int32 { process.processIdentifier }

    init(_ arguments: [String]) throws {
        process = another(arguments, output: output)
        process.standardInput = input
        lines = Observable.lines(of: output.fileHandleForReading).values(buffering: .pausing(1_024)).makeAsyncIterator()
        try process.run()
        // Its end is the end of its lines.
        try? output.fileHandleForWriting.close()
        let identifier = process.processIdentifier
        _ = Self.running.withLock { $0.insert(identifier) }
    }

    struct Ended: Error, CustomStringConvertible {
        let description = "a server or client process has ended"
    }

    /// The numbers of the next line that begins with a word.
    func next(_ word: String) async throws -> [Double] {
        while let line = try await lines.next() {
            let words = line.split(separator: " ")
            let numbers = words.dropFirst().compactMap { Double($0) }
            if words.first == "second" { seconds.append(numbers) }
            if words.first.map(String.init) == word { return numbers }
        }
        throw Ended()
    }

    /// What it has seen since it was last asked.
    func phase() async throws -> Course.Phase {
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        return Course.Phase(try await next("phase"))
    }

    /// Ends it, also where it is stopped.
    func kill() {
        let identifier = process.processIdentifier
        _ = Self.running.withLock { $0.remove(identifier) }
        Foundation.kill(identifier, SIGKILL)
        process.waitUntilExit()
    }

    /// From now on those that run end with this process, also where it is interrupted.
    static func endWithThisProcess() {
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
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
