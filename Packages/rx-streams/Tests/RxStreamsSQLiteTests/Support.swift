import Foundation
import GRDB
import RxStreams
import Synchronization
import Testing

@testable import RxStreamsSQLite

final class Folder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "rx-streams-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var file: String { path + "/streams.sqlite" }
}

final class WallClock: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    func now() -> Date { time.withLock { $0 } }

    func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
}

/// A clock that counts its readings. A driver reads the clock once per read or write of the file.
final class AskedClock: Sendable {
    private let count = Mutex(0)
    private let isAsked: @Sendable (Int) -> Void

    /// - Parameter isAsked: called at each reading with the number of readings so far.
    init(_ isAsked: @escaping @Sendable (Int) -> Void = { _ in }) { self.isAsked = isAsked }

    var asked: Int { count.withLock { $0 } }

    func now() -> Date {
        let times = count.withLock { count in
            count += 1
            return count
        }
        isAsked(times)
        return Date()
    }
}

struct Bench {
    let folder: Folder
    let clock = WallClock()
    let driver: SQLiteDriver

    init() throws {
        folder = try Folder()
        driver = try SQLiteDriver(path: folder.file, now: clock.now)
    }

    func other() throws -> SQLiteDriver { try SQLiteDriver(path: folder.file, now: clock.now) }
}

extension StreamDriver {
    @discardableResult
    func append(_ texts: [String], to stream: String = "orders", subject: String? = nil) async throws -> [Receipt] {
        try await append(texts.map { NewMessage(subject ?? stream, [UInt8]($0.utf8)) }, to: stream)
    }

    func texts(of stream: String = "orders", from position: UInt64 = 1, limit: Int = 1_000) async throws -> [String] {
        try await read(stream, from: Position(position), limit: limit, within: .seconds(0)).map(\.text)
    }
}

extension GroupMember {
    func take(_ count: Int = 1_000) async throws -> [PulledMessage] { try await pull(upTo: count, within: .seconds(0)) }

    func settle(_ messages: [PulledMessage], _ settlement: Settlement) async throws {
        try await settle(messages.map { Verdict($0.token, settlement) })
    }
}

extension StoredMessage {
    var text: String { String(decoding: message.payload, as: UTF8.self) }
}

extension PulledMessage {
    var text: String { stored.text }
    var shown: String { "\(stored.position):\(attempt)" }
}

final class Child: Sendable {
    let lines: AsyncStream<String>
    private let life: Life

    private final class Life: Sendable {
        /// The process's identifier; nil after the process's end, because another process may get it.
        let process: Mutex<pid_t?>

        init(_ process: pid_t) { self.process = Mutex(process) }

        func end() {
            guard let process = process.withLock({ $0 }) else { return }
            var told = siginfo_t()
            while waitid(P_PID, id_t(process), &told, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            self.process.withLock { living in
                living = nil
                waitpid(process, nil, 0)
            }
        }
    }

    init(_ arguments: String...) throws {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("rx-streams-sqlite-fixture").path
        var (ends, process, actions) = ([Int32](repeating: 0, count: 2), pid_t(), posix_spawn_file_actions_t())
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer {
            posix_spawn_file_actions_destroy(&actions)
            for word in words { free(word) }
            close(ends[1])
        }
        try #require(posix_spawn(&process, program, &actions, nil, &words, environ) == 0)
        let life = Life(process)
        self.life = life
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        let output = ends[0]
        Thread.detachNewThread {
            var (rest, bytes) = ("", [UInt8](repeating: 0, count: 65_536))
            while case let count = read(output, &bytes, bytes.count), count > 0 {
                rest += String(decoding: bytes[..<count], as: UTF8.self)
                while let end = rest.firstIndex(of: "\n") {
                    continuation.yield(String(rest[..<end]))
                    rest = String(rest[rest.index(after: end)...])
                }
            }
            close(output)
            life.end()
            continuation.finish()
        }
    }

    func kill() { life.process.withLock { process in _ = process.map { Foundation.kill($0, SIGKILL) } } }

    deinit { kill() }
}

let isNightly = ProcessInfo.processInfo.environment["RX_NIGHTLY"] == "1"

func eventually(_ what: String, _ holds: () async throws -> Bool) async throws {
    for _ in 0..<3_000 {
        if try await holds() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("never: \(what)")
}

final class Seen<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    func add(_ element: Element) { elements.withLock { $0.append(element) } }

    var all: [Element] { elements.withLock { $0 } }
}
