import ArgumentParser
import AsyncHTTPClient
import ExampleSupport
import Foundation
import NIOCore
import NIOHTTP1

struct Drive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Starts the service, loads it with wrk, sends SIGTERM, and prints the verdict.")

    @Option(help: "How often to run it in each order of the services.") var rounds = 1
    @Option(help: "The seconds of load before SIGTERM.") var seconds = 5
    @Option(help: "The number of wrk's connections.") var connections = 32
    @Option(help: "The number of clients of server-sent events.") var listeners = 10
    @Option(help: "The number of clients that wait until their order is charged.") var waiters = 4
    @Option(help: "The seconds that the drain may take.") var drain = 10

    func validate() throws {
        try check("rounds", rounds, 1...1_000)
        try check("seconds", seconds, 1...3_600)
        try check("connections", connections, 2...1_000)
        try check("listeners", listeners, 0...1_000)
        try check("waiters", waiters, 0...1_000)
        try check("drain", drain, 1...20)
    }

    func run() async throws {
        Child.endWithThisProcess()
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 2_048
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        var faults: [String] = []
        do {
            for round in 1...rounds {
                for serverFirst in [false, true] {
                    let what = "round \(round), the \(serverFirst ? "server" : "pipeline") stops first"
                    for fault in try await self.round(http, serverFirst, what) { faults.append("\(what): \(fault)") }
                }
            }
        } catch {
            faults.append("\(error)")
        }
        try? await http.shutdown()
        guard faults.isEmpty else {
            print("verdict: FAILED: \(faults.joined(separator: "; "))")
            throw ExitCode(1)
        }
        print("verdict: no order that was accepted was lost, and every process ended within its span")
    }

    /// Returns the failed checks.
    private func round(_ http: HTTPClient, _ serverFirst: Bool, _ what: String) async throws -> [String] {
        let options = serverFirst ? ["--server-first"] : []
        let child = try Child(
            ["serve", "--port", "0", "--attended", "--drain", "\(drain)"] + options, errors: FileHandle.nullDevice)
        defer { child.kill() }
        let address = "http://127.0.0.1:\(try await child.next("port")[0])"

        async let listened = Self.listen(http, address, listeners)
        async let waited = Self.wait(http, address, waiters)
        async let load = Self.wrk(address, connections: connections, seconds: seconds + 2)
        try await Task.sleep(for: .seconds(seconds))
        let signalled = ContinuousClock.now
        child.signal(SIGTERM)
        let line = try await child.next("orders").compactMap { Int($0) }
        let status = try await child.end()
        let took = signalled.duration(to: .now)
        let (accepted, charged, left) = (line[0], line[1], line[2])
        let (wrk, charges, events) = (try await load, await waited, await listened)

        print(
            "\(what): \(accepted) accepted, \(charged) charged, \(accepted - charged) lost; "
                + "wrk has \(wrk.accepted) answers 202 and \(wrk.refused) answers 503, "
                + "\(charges) charges were waited for; "
                + "\(events.ended) of \(listeners) event streams ended after \(events.count) events; "
                + "status \(status) after \(Int(took / .milliseconds(1))) ms"
        )
        var faults: [String] = []
        func unless(_ isSo: Bool, _ fault: String) { if !isSo { faults.append(fault) } }
        unless(charged == accepted, "\(accepted) accepted, \(charged) charged")
        unless(left == 0, "\(left) orders are left")
        unless(wrk.accepted + charges <= accepted, "clients have more answers than orders were accepted")
        unless(wrk.accepted > 0, "wrk has no answer")
        unless(waiters == 0 || charges > 0, "no charge was waited for")
        unless(status == 0, "the exit status is \(status)")
        unless(took < .seconds(drain + 2), "it took \(took) to end")
        unless(events.ended == listeners, "\(listeners - events.ended) event streams did not end")
        unless(listeners == 0 || events.count > 0, "no event was sent")
        return faults
    }

    private static func listen(_ http: HTTPClient, _ address: String, _ listeners: Int) async -> (
        ended: Int, count: Int
    ) {
        await withTaskGroup(of: (Int, Int).self) { group in
            for _ in 0..<listeners {
                group.addTask {
                    var count = 0
                    do {
                        let request = HTTPClientRequest(url: "\(address)/confirmations")
                        let response = try await http.execute(request, timeout: .hours(1))
                        for try await part in response.body {
                            count += part.readableBytesView.count { $0 == UInt8(ascii: "\n") } / 2
                        }
                        return (1, count)
                    } catch {
                        return (0, count)
                    }
                }
            }
            return await group.reduce(into: (ended: 0, count: 0)) { $0 = ($0.ended + $1.0, $0.count + $1.1) }
        }
    }

    /// Each client waits until its order is charged. The clients continue until the server has ended. Returns the
    /// number of charged orders.
    private static func wait(_ http: HTTPClient, _ address: String, _ waiters: Int) async -> Int {
        await withTaskGroup(of: Int.self) { group in
            for waiter in 0..<waiters {
                group.addTask {
                    var request = HTTPClientRequest(url: "\(address)/orders/charged")
                    request.method = .POST
                    request.headers.add(name: "Content-Type", value: "application/json")
                    request.body = .bytes(ByteBuffer(string: "{\"id\":\(waiter)}"))
                    var (charges, misses) = (0, 0)
                    // A refusal does not show that the server has ended: a full intake refuses orders too.
                    while misses < 10_000 {
                        guard let response = try? await http.execute(request, timeout: .seconds(30)) else { break }
                        _ = try? await response.body.collect(upTo: 1 << 16)
                        if response.status == .ok {
                            charges += 1
                        } else {
                            misses += 1
                            try? await Task.sleep(for: .milliseconds(2))
                        }
                    }
                    return charges
                }
            }
            return await group.reduce(0, +)
        }
    }

    /// Runs the load generator wrk beyond the shutdown signal. Returns the number of answers by status.
    private static func wrk(
        _ address: String, connections: Int, seconds: Int
    ) async throws -> (accepted: Int, refused: Int) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "orders-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (script, said) = (folder.appending(path: "orders.lua"), folder.appending(path: "said"))
        try Self.script.write(to: script, atomically: true, encoding: .utf8)
        try Data().write(to: said)
        let (process, output) = (Process(), try FileHandle(forWritingTo: said))
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "wrk", "-t", "2", "-c", "\(connections)", "-d", "\(seconds)s", "-s", script.path, "\(address)/orders",
        ]
        process.standardOutput = output
        process.standardError = output
        await withCheckedContinuation { continuation in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume() }
        }
        let text = try String(contentsOf: said, encoding: .utf8)
        let line = text.split(separator: "\n").last { $0.hasPrefix("answers ") } ?? ""
        let numbers = line.split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 2 else { throw NoAnswers(said: text) }
        return (numbers[0], numbers[1])
    }

    private struct NoAnswers: Error, CustomStringConvertible {
        let said: String
        var description: String { "wrk has counted no answers; its output: \(said)" }
    }

    private static let script = """
        local threads = {}
        function setup(thread) table.insert(threads, thread) end
        function init(arguments)
            accepted = 0
            refused = 0
            wrk.method = "POST"
            wrk.headers["Content-Type"] = "application/json"
            wrk.body = '{"id":7}'
        end
        function response(status)
            if status == 202 then accepted = accepted + 1 end
            if status == 503 then refused = refused + 1 end
        end
        function done()
            local all, none = 0, 0
            for _, thread in ipairs(threads) do
                all = all + thread:get("accepted")
                none = none + thread:get("refused")
            end
            print("answers " .. all .. " " .. none)
        end

        """
}
