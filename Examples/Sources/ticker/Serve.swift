import ArgumentParser
import ExampleSupport
import Foundation
import Hummingbird
import Logging
import RxSwift

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The server: GET /quotes?market=0&first=0&count=3 gives server-sent events.")

    @Option(help: "How events wait for a client: newest or stream.") var way = Way.newest
    @Option(help: "Ticks per second; each belongs to one of the \(Tick.markets) markets.") var rate = 40
    @Option(help: "The port; 0 for any free one.") var port = 8_080
    @Flag(help: "Exit when standard input ends.") var attended = false

    func validate() throws {
        try check("rate", rate, 1...1_000)
        try check("port", port, 0...65_535)
    }

    func run() async throws {
        raiseFileLimit()
        if attended { endWithStandardInput() }
        let ticks = ticks(perSecond: rate), hub = Hub()
        let feed = way == .stream ? ticks.subscribe(onNext: hub.send) : ticks.subscribe()
        defer { feed.dispose() }

        let router = Router()
        router.get("/quotes") { [way] request, _ in
            func number(_ name: Substring, _ bounds: ClosedRange<Int>) throws -> Int {
                let number = request.uri.queryParameters[name].flatMap { Int($0) }
                guard let number, bounds.contains(number) else {
                    throw HTTPError(.badRequest, message: "\(name) must be a number in \(bounds)")
                }
                return number
            }
            let watchList = WatchList(
                market: try number("market", 0...Tick.markets - 1), first: try number("first", 0...Tick.symbols - 1),
                count: try number("count", 1...Tick.symbols))
            let body: ResponseBody
            switch way {
            case .newest:
                let events = ticks.filter { $0.market == watchList.market }.map { $0.event(for: watchList) }
                body = ResponseBody(asyncSequence: events.values(buffering: .newest(1)))
            case .stream:
                body = ResponseBody(asyncSequence: hub.events(for: watchList))
            }
            return Response(
                status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-cache"], body: body)
        }
        var logger = Logger(label: "ticker")
        logger.logLevel = .warning
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: port), backlog: 4_096),
            onServerRunning: { channel in
                // Accepted connections inherit this send buffer. With the system's default of some megabytes, the
                // server would notice only after minutes that a client does not read.
                try? await channel.setOption(.socketOption(.so_sndbuf), value: 16 << 10).get()
                say("port \(channel.localAddress?.port ?? 0)")
            },
            logger: logger)
        try await application.runService()
    }
}
