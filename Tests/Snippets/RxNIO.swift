typealias Request = ByteBuffer
typealias Response = ByteBuffer

extension ByteBuffer {
    init(_ order: StoredOrder) { self.init(string: "\(order.id)") }
}

@Sendable func answer(_ request: Request) -> Response { request }

let port: Int = {
    let server = try! ServerBootstrap(group: loop).bind(host: "127.0.0.1", port: 0).wait()
    let port = server.localAddress!.port!
    try! server.close().wait()
    return port
}()

let blocks = [
    1: Block(
        uses: {
            _ = try await startEchoServer(on: loop, port: port)
            try await Pinger.connect(to: port)
        },
        happens: ["answer: ping"]),
    2: Block(happens: ["answer: ping"]),
    3: Block(
        uses: {
            let drain = Drain()
            let listening = Task { try await listen(on: loop, port: port, until: drain).asCompletable().value }
            while (try? await Pinger.connect(to: port)) == nil { await Task.yield() }
            try await untilHappened(["answer: ping"])
            drain.stop()
            try await listening.value
            happened("stopped listening")
        },
        happens: ["stopped listening"]),
    4: Block(happens: ["loaded 0"]),
]
