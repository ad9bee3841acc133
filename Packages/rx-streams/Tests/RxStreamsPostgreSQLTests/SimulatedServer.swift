import Dispatch
import Glibc
import RxStreams

/// Lets clients log in without a password, and runs no query.
///
/// Guards: after `init`, one thread calls all methods except `stop`.
// @unchecked Sendable because of the guard.
final class SimulatedServer: @unchecked Sendable {
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
        hangUp()
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Returns false if the server has been stopped.
    @discardableResult
    func accept() -> Bool {
        guard let accepted = greeted() else { return false }
        connection = accepted
        send("R", [0, 0, 0, 0])
        send("S", Array("server_version\u{0}15.0\u{0}".utf8))
        send("K", [0, 0, 0, 1, 0, 0, 0, 2])
        send("Z", Array("I".utf8))
        return true
    }

    func refuse() -> Bool {
        guard let refused = greeted() else { return false }
        send("E", Array("SFATAL\u{0}VFATAL\u{0}C53300\u{0}Mtoo many clients\u{0}\u{0}".utf8), to: refused)
        close(refused)
        return true
    }

    private func greeted() -> Int32? {
        let accepted = Glibc.accept(listener, nil, nil)
        guard accepted >= 0 else { return nil }
        // PostgreSQL also sets this option. Otherwise the error would wait for an acknowledgement, and the reset would
        // discard it.
        var isOn: Int32 = 1
        setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        var startup = [UInt8](repeating: 0, count: 1_000)
        _ = read(accepted, &startup, startup.count)
        return accepted
    }

    func readScript() {
        var script = [UInt8](repeating: 0, count: 10_000)
        _ = read(connection, &script, script.count)
    }

    func answerScript() {
        send("C", Array("SET\u{0}".utf8))
        send("Z", Array("I".utf8))
    }

    /// Reads only the first byte of a query.
    func answerNothingButNotify() {
        var byte: UInt8 = 0
        _ = read(connection, &byte, 1)
        send("A", [0, 0, 0, 1] + Array("channel\u{0}\u{0}".utf8))
    }

    /// Sends an error. The unread bytes cause a reset.
    func fail() {
        send("E", Array("SFATAL\u{0}VFATAL\u{0}C57P01\u{0}Mterminated\u{0}\u{0}".utf8))
        hangUp()
    }

    func hangUp() {
        if connection >= 0 { close(connection) }
        connection = -1
    }

    private func send(_ kind: Character, _ content: [UInt8]) { send(kind, content, to: connection) }

    private func send(_ kind: Character, _ content: [UInt8], to connection: Int32) {
        let length = withUnsafeBytes(of: UInt32(content.count + 4).bigEndian, Array.init)
        let bytes = [kind.asciiValue ?? 0] + length + content
        _ = write(connection, bytes, bytes.count)
    }
}
