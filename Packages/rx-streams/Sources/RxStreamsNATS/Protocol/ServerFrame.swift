enum ServerFrame: Equatable, Sendable {
    case info(ServerInfo)
    case message(IncomingMessage)
    case ping
    case pong
    case ok
    case error(String)
}

struct IncomingMessage: Sendable, Equatable {
    var sid: UInt64
    var subject: String
    var reply: String?
    var headers: NATSHeaders?
    var payload: [UInt8]

    /// The status in the headers. Servers use 100, 400, 404, 408, 409 and 503. Publishers may give their messages any
    /// status.
    var status: Int? { headers?.status }
}

/// A violation of the protocol by the server. The bytes after it cannot be parsed.
enum ProtocolFault: Error, Equatable, CustomStringConvertible {
    case lineTooLong(limit: Int)
    case lineWithoutReturn
    case unknownVerb(String)
    case badArguments(String)
    case payloadTooLarge(Int, limit: Int)
    case payloadWithoutEnd
    case badInfo(String)

    var description: String {
        switch self {
        case .lineTooLong(let limit): "the server sent a line of more than \(limit) bytes"
        case .lineWithoutReturn: "the server sent a line that does not end in CR LF"
        case .unknownVerb(let line): "the server does not speak NATS: it sent \(line)"
        case .badArguments(let line): "the server sent an invalid line: \(line)"
        case .payloadTooLarge(let size, let limit): "the server sent a message of \(size) bytes, more than \(limit)"
        case .payloadWithoutEnd: "the server sent a message with a wrong length"
        case .badInfo(let why): "the server's INFO cannot be read: \(why)"
        }
    }
}
