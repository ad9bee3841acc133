import ArgumentParser
import Dispatch
import ExampleSupport
import Foundation
import NIOCore
import NIOPosix
import RxSwift

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs clients. Prints the events' delays: each second, and for each input line those since the last.")

    @Option(help: "The server's port.") var port = 8_080
    @Option(help: "The number of connections.") var clients = 100
    @Option(help: "The number of symbols that each client watches.") var symbols = 160

    func validate() throws {
        try check("port", port, 1...65_535)
        try check("clients", clients, 1...100_000)
        try check("symbols", symbols, 1...Tick.symbols)
    }

    func run() async throws {
        raiseFileLimit()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let record = try await loop.submit { NIOLoopBound(Record(), eventLoop: loop) }.get()
        let all = try await connect(on: loop, record)
        for channel in all { channel.closeFuture.whenComplete { _ in Self.leave("a connection was closed") } }
        while try await loop.submit({ record.value.clients < clients }).get() {
            try await Task.sleep(for: .milliseconds(20))
        }
        say("ready")

        let seconds = loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            say("second \(DispatchTime.now().uptimeNanoseconds) \(record.value.takeSecond())")
        }
        for try await _ in Observable.lines(of: STDIN_FILENO).values(buffering: .pausing(1)) {
            let phase = try await loop.submit { record.value.takePhase() }.get()
            say("phase \(DispatchTime.now().uptimeNanoseconds) \(phase)")
        }
        seconds.cancel()
    }

    private func connect(on loop: any EventLoop, _ record: NIOLoopBound<Record>) async throws -> [any Channel] {
        let bootstrap = ClientBootstrap(group: loop)
            .channelOption(.socketOption(.so_rcvbuf), value: 16 << 10)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Events(record.value))
                }
            }
        var channels: [any Channel] = []
        for number in 0..<clients {
            let channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
            let (market, first) = (number % Tick.markets, number % Tick.symbols)
            let query = "market=\(market)&first=\(first)&count=\(symbols)"
            let request = "GET /quotes?\(query) HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try await channel.writeAndFlush(ByteBuffer(string: request))
            channels.append(channel)
        }
        return channels
    }

    private static func leave(_ why: String) {
        FileHandle.standardError.write(Data("\(why)\n".utf8))
        Foundation.exit(1)
    }
}

/// Used on the event loop only.
private final class Record {
    var clients = 0
    private var second = Latencies()
    private var phase = Latencies()

    func add(nanoseconds: UInt64, missed: Int) {
        second.add(nanoseconds, missed)
        phase.add(nanoseconds, missed)
    }

    func takeSecond() -> String { take(&second) }
    func takePhase() -> String { take(&phase) }

    private func take(_ latencies: inout Latencies) -> String {
        defer { latencies = Latencies() }
        return latencies.summary
    }
}

private struct Latencies {
    private var microseconds: [UInt32] = []
    private var missed = 0

    mutating func add(_ nanoseconds: UInt64, _ missed: Int) {
        microseconds.append(UInt32(clamping: nanoseconds / 1_000))
        self.missed += missed
    }

    /// The number of events, the median and 99th percentile of the delays in microseconds, and the number of skipped
    /// events.
    var summary: String {
        let sorted = microseconds.sorted()
        func percentile(_ part: Int) -> UInt32 { sorted.isEmpty ? 0 : sorted[(sorted.count - 1) * part / 100] }
        return "\(sorted.count) \(percentile(50)) \(percentile(99)) \(missed)"
    }
}

/// Used on the event loop only.
private final class Events: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let record: Record
    /// An incomplete line.
    private var line: [UInt8] = []
    private var last: Int?

    init(_ record: Record) {
        self.record = record
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
            var rest = bytes[...]
            while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
                keep(rest[..<newline])
                take()
                line.removeAll(keepingCapacity: true)
                rest = rest[(newline + 1)...]
            }
            keep(rest)
        }
    }

    /// Keeps the first 64 bytes of a line. The lines that `take` parses are shorter.
    private func keep(_ bytes: Slice<UnsafeRawBufferPointer>) {
        line.append(contentsOf: bytes.prefix(64 - line.count))
    }

    private func take() {
        guard line.starts(with: "id: ".utf8) else { return }
        let numbers = line.dropFirst(4).split(separator: UInt8(ascii: ":")).map {
            UInt64(String(decoding: $0, as: UTF8.self))
        }
        guard numbers.count == 2, let number = numbers[0], let sent = numbers[1] else { return }
        if last == nil { record.clients += 1 }
        let missed = last.map { (Int(number) - $0) / Tick.markets - 1 } ?? 0
        record.add(nanoseconds: DispatchTime.now().uptimeNanoseconds - sent, missed: missed)
        last = Int(number)
    }
}
