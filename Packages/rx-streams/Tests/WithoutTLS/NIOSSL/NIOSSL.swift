import NIOCore

// The declarations of swift-nio-ssl that RxStreamsNATS uses, for builds with RX_GATE=1 (Package.swift). TLS connections
// fail.

public struct TLSConfiguration: Sendable {
    public static func makeClientConfiguration() -> TLSConfiguration { TLSConfiguration() }
}

public final class NIOSSLContext: Sendable {
    public init(configuration: TLSConfiguration) throws { throw NoTLS() }
}

public final class NIOSSLClientHandler: ChannelInboundHandler {
    public typealias InboundIn = ByteBuffer

    public init(context: NIOSSLContext, serverHostname: String?) throws { throw NoTLS() }
}

struct NoTLS: Error {}
