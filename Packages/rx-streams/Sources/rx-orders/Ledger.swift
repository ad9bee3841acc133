import Foundation
import Synchronization

/// A file with the orders that one process has handled. Each line is synced before its order is acknowledged.
///
/// Lines that arrive during a sync share the next sync.
///
/// Guards: `state` is protected by its lock. `write()` runs on `queue`. It takes all lines of `waiting`, and resumes
/// each continuation once.
final class Ledger: Sendable {
    private struct State {
        var waiting: [(line: String, told: CheckedContinuation<Void, any Error>)] = []
        var isWriting = false
    }

    private let file: Int32
    private let queue = DispatchQueue(label: "ledger")
    private let state = Mutex(State())

    init(folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/ledger-\(ProcessInfo.processInfo.processIdentifier).txt"
        file = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        if file < 0 { throw Failure("'\(path)' cannot be written: \(String(cString: strerror(errno)))") }
    }

    deinit { close(file) }

    /// Returns when the line is on the disk.
    func record(_ line: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting.append((line, continuation))
                defer { state.isWriting = true }
                return !state.isWriting
            }
            if begins { queue.async { self.write() } }
        }
    }

    private func write() {
        while true {
            let batch = state.withLock { state in
                defer { state.waiting = [] }
                state.isWriting = !state.waiting.isEmpty
                return state.waiting
            }
            if batch.isEmpty { return }
            // Begins with a line break, because a full disk or a kill may have cut off the previous line.
            let result = Result { try sync("\n" + batch.map { $0.line + "\n" }.joined()) }
            for (_, told) in batch { told.resume(with: result) }
        }
    }

    private func sync(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno != EINTR { throw Failure("the ledger: \(String(cString: strerror(errno)))") }
            bytes = bytes.dropFirst(max(0, count))
        }
        if fdatasync(file) != 0 { throw Failure("the ledger: \(String(cString: strerror(errno)))") }
    }

    static func read(folder: String) throws -> [Entry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return try names.filter { $0.hasPrefix("ledger-") }.sorted().flatMap { name in
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            // Drops an incomplete last line: its order has not been acknowledged.
            return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap(Entry.init)
        }
    }

    struct Entry: Sendable {
        let id: String
        let wasChargedBefore: Bool

        init?(_ line: Substring) {
            let words = line.split(separator: " ")
            guard words.count == 2, words[1] == "ok" || words[1] == "again" else { return nil }
            (id, wasChargedBefore) = (String(words[0]), words[1] == "again")
        }
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
