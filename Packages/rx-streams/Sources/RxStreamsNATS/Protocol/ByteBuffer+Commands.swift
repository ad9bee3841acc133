import NIOCore

extension ByteBuffer {
    /// Writes a publication. The arguments must be valid.
    ///
    /// - Parameter token: appended to `reply` to identify the reply.
    mutating func writePublish(
        _ subject: String, reply: String? = nil, token: UInt64? = nil, fields: [NATSHeaders.Field] = [],
        payload: [UInt8]
    ) {
        writeStaticString(fields.isEmpty ? "PUB " : "HPUB ")
        writeString(subject)
        writeStaticString(" ")
        if let reply {
            writeString(reply)
            if let token { writeDecimal(token) }
            writeStaticString(" ")
        }
        if !fields.isEmpty {
            let size = Self.headerSize(fields)
            writeDecimal(UInt64(size))
            writeStaticString(" ")
            writeDecimal(UInt64(size + payload.count))
            writeStaticString("\r\nNATS/1.0\r\n")
            for field in fields {
                writeString(field.name)
                writeStaticString(": ")
                writeString(field.value)
                writeStaticString("\r\n")
            }
        } else {
            writeDecimal(UInt64(payload.count))
        }
        writeStaticString("\r\n")
        writeBytes(payload)
        writeStaticString("\r\n")
    }

    static func headerSize(_ fields: [NATSHeaders.Field]) -> Int {
        fields.isEmpty ? 0 : fields.reduce(12) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }

    mutating func writeSubscribe(_ subject: String, sid: UInt64) {
        writeString("SUB \(subject) \(sid)\r\n")
    }

    mutating func writeUnsubscribe(sid: UInt64) {
        writeString("UNSUB \(sid)\r\n")
    }

    mutating func writePing() {
        writeStaticString("PING\r\n")
    }

    mutating func writePong() {
        writeStaticString("PONG\r\n")
    }

    mutating func writeConnect(_ json: [UInt8]) {
        writeStaticString("CONNECT ")
        writeBytes(json)
        writeStaticString("\r\n")
    }

    private mutating func writeDecimal(_ number: UInt64) {
        writeString(String(number))
    }
}
