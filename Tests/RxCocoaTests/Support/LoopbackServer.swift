#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

import TestSupport

/// A server on the loopback interface for one test. It reads each connection's request, and passes the connection to a
/// closure that answers.
///
/// It accepts `connections` connections, each on its own thread. Each wait lasts at most ten seconds. The server stops
/// listening when `stop` is called or the server is released.
final class LoopbackServer: Sendable {
    struct Connection: Sendable {
        let request: String
        fileprivate let socket: Int32

        /// Returns false if the client has closed the connection.
        @discardableResult
        func write(_ bytes: String) -> Bool {
            write(Array(bytes.utf8))
        }

        @discardableResult
        func write(_ bytes: [UInt8]) -> Bool {
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes {
                    send(socket, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
                }
                if count <= 0 { return false }
                sent += count
            }
            return true
        }

        func respond(_ body: String, status: String = "200 OK", headers: String = "") {
            write(
                "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(headers)\r\n\(body)"
            )
        }

        /// Returns false if the client does not close the connection in time.
        func waitUntilClosed() -> Bool {
            var byte: UInt8 = 0
            while true {
                let count = recv(socket, &byte, 1, 0)
                if count == 0 || (count < 0 && errno == ECONNRESET) { return true }
                if count < 0 { return false }
            }
        }
    }

    struct CannotListen: Error {
        let errno: Int32
    }

    let port: UInt16
    private let listener: Int32
    private let isStopped = Guarded(false)

    init(connections: Int = 16, _ answer: @escaping @Sendable (Connection) -> Void) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listener, size) = (listener, length)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) | listen(listener, 16) | getsockname(listener, $0, &length)
            }
        }
        guard status == 0 else { throw CannotListen(errno: errno) }
        port = UInt16(bigEndian: address.sin_port)
        startThread { Self.serve(listener, connections, answer) }
    }

    deinit {
        stop()
    }

    func stop() {
        let wasStopped = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return isStopped
        }
        if !wasStopped { shutdown(listener, Int32(SHUT_RDWR)) }
    }

    private static func serve(
        _ listener: Int32, _ connections: Int,
        _ answer:
            @escaping @Sendable (
                Connection
            ) -> Void
    ) {
        for _ in 0..<connections {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { break }
            startThread {
                var patience = timeval(tv_sec: 10, tv_usec: 0)
                setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
                setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
                if let request = head(of: client) { answer(Connection(request: request, socket: client)) }
                close(client)
            }
        }
        close(listener)
    }

    private static func head(of client: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard bytes.count < 16_384, recv(client, &byte, 1, 0) == 1 else { return nil }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
