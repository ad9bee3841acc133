import Dispatch
import Foundation
import Glibc
import RxStreams
import Testing

@testable import RxStreamsPostgreSQL

/// A connection to a simulated server. These tests need no real one.
struct LinkTests {
    /// A server that ends before it has read a query resets the connection. libdispatch reports no event of the socket
    /// after that, so the link must notice the end at once.
    @Test func connectionResetAfterFatalErrorEndsAtOnce() async throws {
        let server = try SimulatedServer()
        let (isNotified, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            server.accept()
            server.answerNothingButNotify()
            // The connection's queue now runs `onNotify`, so the error and the reset arrive as one event.
            isNotified.wait()
            server.fail()
            goesOn.signal()
        }
        guard case .connected(let made) = try PostgreSQLAddress(server.url).connect() else {
            throw BrokerError.unavailable("the simulated server")
        }
        let isBroken = Shared(false)
        let link = Link(
            made.connection,
            onNotify: {
                isNotified.signal()
                goesOn.wait()
            }, onBreak: { _ in isBroken.change { $0 = true } })
        let query = Task { try await link.run("SELECT 1", within: .seconds(60)) }
        try await eventually(10) { isBroken.value }
        let error = await #expect(throws: ServerError.self) { try await query.value }
        #expect(error?.state == "57P01")
    }
}

/// A server that accepts one connection without a password and runs no query.
///
/// Guards: after `init`, one thread calls all methods.
// @unchecked Sendable because of the guard.
private final class SimulatedServer: @unchecked Sendable {
    private let listener: Int32
    private var connection: Int32 = -1
    let url: String

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening else { throw BrokerError.unavailable("no socket: \(errno)") }
        self.listener = listener
        url = "postgres://me@127.0.0.1:\(UInt16(bigEndian: address.sin_port))/db?sslmode=disable&gssencmode=disable"
    }

    deinit {
        close(listener)
        if connection >= 0 { close(connection) }
    }

    /// Accepts a connection and lets the client log in.
    func accept() {
        connection = Glibc.accept(listener, nil, nil)
        // As PostgreSQL does. Otherwise the error would wait for an acknowledgement, and the reset would discard it.
        var isOn: Int32 = 1
        setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        var startup = [UInt8](repeating: 0, count: 1_000)
        _ = read(connection, &startup, startup.count)
        send("R", [0, 0, 0, 0])
        send("S", Array("server_version\u{0}15.0\u{0}".utf8))
        send("K", [0, 0, 0, 1, 0, 0, 0, 2])
        send("Z", Array("I".utf8))
    }

    /// Waits for a query, leaves all but its first byte unread, and sends a notification.
    func answerNothingButNotify() {
        var byte: UInt8 = 0
        _ = read(connection, &byte, 1)
        send("A", [0, 0, 0, 1] + Array("channel\u{0}\u{0}".utf8))
    }

    /// Sends the error of a terminated session and closes the connection, which resets it because bytes are unread.
    func fail() {
        send("E", Array("SFATAL\u{0}VFATAL\u{0}C57P01\u{0}Mterminated\u{0}\u{0}".utf8))
        close(connection)
        connection = -1
    }

    /// Sends a message of PostgreSQL's protocol: its kind, its length, and its content.
    private func send(_ kind: Character, _ content: [UInt8]) {
        let length = withUnsafeBytes(of: UInt32(content.count + 4).bigEndian, Array.init)
        let bytes = [kind.asciiValue ?? 0] + length + content
        _ = write(connection, bytes, bytes.count)
    }
}
