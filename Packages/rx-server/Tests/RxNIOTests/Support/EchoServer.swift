import NIOCore
import NIOPosix
import RxNIO

/// Starts a server that sends back what it receives, no faster than the client reads.
func startEchoServer(on group: any EventLoopGroup, port: Int) async throws -> any Channel {
    try await ServerBootstrap(group: group)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelInitializer { channel in
            let close = { @Sendable in channel.close(promise: nil) }
            _ = channel.rx.inbound(of: ByteBuffer.self)
                .write(to: channel)
                .subscribe(onCompleted: close, onError: { _ in close() })
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        .bind(host: "127.0.0.1", port: port).get()
}
