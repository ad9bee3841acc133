/// The inspector's answer to a request, for any server.
public struct InspectorResponse: Sendable {
    /// The body of a response.
    public enum Body: Sendable {
        /// The body in UTF-8.
        case bytes([UInt8])
        /// Server-sent events in UTF-8, each with its blank line. Send each event without delay. If the client reads
        /// slowly, older events are dropped. The sequence does not end. Cancelling the task that reads it, or releasing
        /// the sequence, ends the inspector's work for this viewer.
        case events(AsyncStream<[UInt8]>)
    }

    /// The HTTP status: 200, or 404 if the path is unknown.
    public let status: Int

    /// The header `Content-Type`.
    public let contentType: String

    /// Further headers. They forbid caching, and loading files from other servers.
    public let headers: [(name: String, value: String)]

    /// The body.
    public let body: Body

    init(status: Int = 200, _ contentType: String, _ body: Body) {
        self.status = status
        self.contentType = contentType
        self.body = body
        headers = [
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
                    + "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
            ),
        ]
    }
}
