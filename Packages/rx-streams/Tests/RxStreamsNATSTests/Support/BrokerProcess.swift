import Foundation
import NIOCore
import NIOPosix
import RxStreams
import Synchronization
import Testing

@testable import RxStreamsNATS

#if canImport(Glibc)
    import Glibc
#endif

/// A real server with its own store.
///
/// `scripts/broker.sh tests` sets `RX_NATS_SERVERS` to the paths of the servers, separated by colons.
final class BrokerProcess: Sendable {
    static let servers: [String] = {
        let named = ProcessInfo.processInfo.environment["RX_NATS_SERVERS"] ?? ""
        return named.split(separator: ":").map(String.init).filter { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    static let isMissing: Comment = "there is no server: scripts/broker.sh tests COMMAND sets RX_NATS_SERVERS"

    let port: Int
    let url: String
    private let binary: String
    private let folder: String
    private let more: String
    private let process = Mutex<Process?>(nil)

    init(_ binary: String, more: String = "") async throws {
        self.binary = binary
        self.more = more
        port = try Self.freePort()
        url = "nats://127.0.0.1:\(port)"
        folder = FileManager.default.temporaryDirectory.path + "/rx-nats-\(NATSClient.word())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try start()
    }

    deinit {
        process.withLock { $0 }?.terminate()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func version() throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: binary)
        process.arguments = ["--version"]
        process.standardOutput = output
        try process.run()
        let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return words.split { $0 == "v" || $0.isWhitespace }.last.map(String.init) ?? ""
    }

    func start() throws {
        let configuration = """
            listen: "127.0.0.1:\(port)"
            jetstream { store_dir: "\(folder)/store" }
            \(more)
            """
        try configuration.write(toFile: folder + "/nats.conf", atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: binary)
        process.arguments = ["-c", folder + "/nats.conf", "-l", folder + "/log"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process.withLock { $0 = process }
    }

    var identifier: Int32 { process.withLock { $0?.processIdentifier ?? 0 } }

    func signal(_ signal: Int32) {
        let id = identifier
        if id > 0 { kill(id, signal) }
    }

    /// Sends SIGSTOP, as if the machine were paused, and waits until the process has stopped.
    func standStill() async throws {
        signal(SIGSTOP)
        try await eventually { [self] in
            let status = (try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)) ?? ""
            return status.contains(") T ")
        }
    }

    /// Data in the system's buffers survives, unlike in a power failure.
    func kill9() async throws {
        signal(SIGKILL)
        try await eventually { [self] in !(process.withLock { $0?.isRunning ?? false }) }
    }

    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
            }
        }
        if result != 0 { throw BrokerError.unavailable("no free port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

/// Sends arbitrary commands, as another program might.
enum RawClient {
    /// Returns once the server has read the commands.
    static func say(_ commands: [String], to server: BrokerProcess) async throws {
        let seen = Seen<String>()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Listener(seen))
                }
            }
            .connect(host: "127.0.0.1", port: server.port).get()
        let text = #"CONNECT {"verbose":false,"headers":true}"# + "\r\n" + commands.joined() + "PING\r\n"
        try await channel.writeAndFlush(ByteBuffer(string: text)).get()
        try await seen.wait { $0.joined().contains("PONG\r\n") }
        try await channel.close()
    }

    private final class Listener: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let seen: Seen<String>

        init(_ seen: Seen<String>) {
            self.seen = seen
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            seen.add(String(buffer: unwrapInboundIn(data)))
        }
    }
}

extension NATSDriver {
    static func testing(_ server: BrokerProcess, _ change: (inout NATSClient.Options) -> Void = { _ in }) throws
        -> NATSDriver
    {
        NATSDriver(
            try NATSClient.testing([server.url]) {
                $0.connectTimeout = .seconds(5)
                $0.pingInterval = .seconds(5)
                change(&$0)
            })
    }

    static func pull(_ count: Int, from member: any GroupMember, seconds: Int = 20) async throws -> [PulledMessage] {
        if count == 0 { return [] }
        var all: [PulledMessage] = []
        try await eventually(seconds) {
            do {
                all += try await member.pull(upTo: count - all.count, within: .milliseconds(500))
            } catch BrokerError.unavailable {}
            return all.count >= count
        }
        return all
    }

    func insist(_ messages: [NewMessage], to stream: String, seconds: Int = 30) async throws -> [Receipt] {
        var receipts: [Receipt]?
        try await eventually(seconds) {
            do { receipts = try await append(messages, to: stream) } catch BrokerError.unavailable {}
            return receipts != nil
        }
        return receipts ?? []
    }
}
