import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// `@unchecked Sendable` because the addresses are set only while no request is running.
final class Asking: @unchecked Sendable {
    let http: HTTPClient
    var upstream = ""
    var gateway = ""
    private let count = Atomic(0)

    init(http: HTTPClient) {
        self.http = http
    }

    var asked: Int { count.load(ordering: .relaxed) }

    struct Answer {
        /// The HTTP status; 0 if the request failed.
        let status: Int
        let body: String
        /// The duration in milliseconds.
        let took: Double
    }

    func get(_ address: String, _ method: HTTPMethod = .GET) async throws -> Answer {
        var request = HTTPClientRequest(url: address)
        request.method = method
        let begin = ContinuousClock.now
        let response = try await http.execute(request, timeout: .seconds(30))
        let body = String(buffer: try await response.body.collect(upTo: 1 << 20))
        return Answer(status: Int(response.status.code), body: body, took: begin.duration(to: .now).milliseconds)
    }

    func ask(_ name: String) async -> Answer {
        count.add(1, ordering: .relaxed)
        return (try? await get("\(gateway)/users/\(name)")) ?? Answer(status: 0, body: "", took: 0)
    }

    func say(mood: String) async throws {
        _ = try await get("\(upstream)/mood/\(mood)", .PUT)
    }

    func attempts() async throws -> Int {
        Int(try await get("\(upstream)/count").body) ?? 0
    }

    /// Switches the service to `mood`. Each client sends requests one after the other, with pauses of 20 ms.
    func phase(_ mood: String, _ clients: Int, _ users: Int, _ seconds: Int) async throws -> Phase {
        try await say(mood: mood)
        let before = try await attempts(), begin = ContinuousClock.now, end = begin + .seconds(seconds)
        let answers = await withTaskGroup(of: [(Double, Answer)].self) { group in
            for _ in 0..<clients {
                group.addTask {
                    var answers: [(Double, Answer)] = []
                    while ContinuousClock.now < end {
                        let answer = await self.ask("user\(Int.random(in: 0..<users))")
                        answers.append((begin.duration(to: .now).milliseconds, answer))
                        try? await Task.sleep(for: .milliseconds(20))
                    }
                    return answers
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        return Phase(answers, attempts: try await attempts() - before)
    }

    /// Returns text such as `40 times 200, 3 times 503`.
    static func text(_ statuses: [Int: Int]) -> String {
        statuses.sorted { $0.key < $1.key }.map { "\($0.value) times \($0.key)" }.joined(separator: ", ")
    }
}

struct Phase {
    let asked: Int
    let answered: Int
    /// The number of requests that the service received.
    let attempts: Int
    /// The milliseconds from the start of the phase to the last failure; 0 if there was none.
    let lastFailure: Double
    let slowest: Double
    private let statuses: [Int: Int]
    private let ninetyNinth: Double

    init(_ answers: [(at: Double, answer: Asking.Answer)], attempts: Int) {
        let times = answers.map(\.answer.took).sorted()
        asked = answers.count
        answered = answers.filter { $0.answer.status == 200 }.count
        self.attempts = attempts
        lastFailure = answers.filter { $0.answer.status != 200 }.map(\.at).max() ?? 0
        slowest = times.last ?? 0
        ninetyNinth = times.isEmpty ? 0 : times[times.count * 99 / 100]
        statuses = answers.reduce(into: [:]) { $0[$1.answer.status, default: 0] += 1 }
    }

    var summary: String {
        let times = String(format: "99 of 100 within %.0f ms", ninetyNinth)
        return "\(asked) questions, \(Asking.text(statuses)), \(attempts) requests to the service, \(times)"
    }
}

extension Duration {
    var milliseconds: Double {
        Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15
    }
}
