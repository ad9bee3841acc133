import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RxNIO
import Testing

final class Log<Element>: @unchecked Sendable {  // guarded by the box
    private let box = NIOLockedValueBox<[Element]>([])

    var all: [Element] { box.withLockedValue { $0 } }

    func add(_ element: Element) {
        box.withLockedValue { $0.append(element) }
    }
}

final class Guarded<Value>: @unchecked Sendable {  // guarded by the box
    private let box: NIOLockedValueBox<Value>

    init(_ value: Value) {
        box = NIOLockedValueBox(value)
    }

    func with<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try box.withLockedValue(body)
    }
}

final class Awaited: Sendable {
    private let state: NIOLockedValueBox<(left: Int, waiters: [CheckedContinuation<Void, Never>])>

    init(_ count: Int = 1) {
        state = NIOLockedValueBox((count, []))
    }

    func come() {
        let waiters = state.withLockedValue { state -> [CheckedContinuation<Void, Never>] in
            state.left -= 1
            guard state.left <= 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { waiter in
            let isOver = state.withLockedValue { state in
                if state.left > 0 { state.waiters.append(waiter) }
                return state.left <= 0
            }
            if isOver { waiter.resume() }
        }
    }
}

final class Witness: @unchecked Sendable {  // immutable
    private let freed: () -> Void

    init(_ freed: @escaping () -> Void) {
        self.freed = freed
    }

    deinit {
        freed()
    }
}

final class Beyond: ChannelInboundHandler, @unchecked Sendable {  // used on the loop only
    typealias InboundIn = Int
    private(set) var all: [String] = []
    /// All events except messages, errors and the end of the channel.
    private(set) var signs: [String] = []

    func channelActive(context _: ChannelHandlerContext) {
        signs.append("active")
    }

    func channelRead(context _: ChannelHandlerContext, data: NIOAny) {
        all.append("\(unwrapInboundIn(data))")
    }

    func channelReadComplete(context _: ChannelHandlerContext) {
        signs.append("read is over")
    }

    func userInboundEventTriggered(context _: ChannelHandlerContext, event: Any) {
        signs.append("\(event)")
    }

    func errorCaught(context _: ChannelHandlerContext, error: any Error) {
        all.append("\(error)")
    }

    func channelInactive(context _: ChannelHandlerContext) {
        all.append("inactive")
    }
}

func eventually(within span: Duration = .seconds(20), _ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + span
    while ContinuousClock.now < end {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return condition()
}

func withLoops<Result>(
    _ count: Int = 1, _ body: (MultiThreadedEventLoopGroup) async throws -> Result
) async throws -> Result {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: count)
    do {
        let result = try await body(group)
        try await group.shutdownGracefully()
        return result
    } catch {
        try? await group.shutdownGracefully()
        throw error
    }
}

struct Oops: Error, Equatable {}

func name(_ error: any Error) -> String {
    switch error {
    case ChannelError.ioOnClosedChannel: "closed"
    case EventLoopError.shutdown: "shutdown"
    default: "\(error)"
    }
}

func residentMemory() -> Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
}

let isNightly = ProcessInfo.processInfo.environment["RX_NIGHTLY"] == "1"
