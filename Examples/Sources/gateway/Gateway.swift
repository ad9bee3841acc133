import AsyncHTTPClient
import Foundation
import Hummingbird
import Logging
import RxObservability
import RxResilience
import RxSwift
import Synchronization

/// Fetches users from the service, with all the operators that protect a call.
final class Gateway: Sendable {
    /// Lets concurrent requests for the same user share one call.
    private let flights: SingleFlight<String, String>
    let breaker: CircuitBreaker
    private let bulkhead = Bulkhead(32, waiting: 64, name: "upstream")
    private let budget = RetryBudget(ratio: 0.1)
    private let client: HTTPClient
    private let upstream: String
    private let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
    private let logger: Logger

    init(_ client: HTTPClient, upstream: String, _ logger: Logger) {
        self.client = client
        self.upstream = upstream
        self.logger = logger
        flights = SingleFlight(scheduler: scheduler)
        breaker = CircuitBreaker(
            "upstream", window: .calls(50), minimumCalls: 20, slowAfter: .milliseconds(500),
            openFor: .milliseconds(500), trials: 5, scheduler: scheduler)
    }

    func user(_ name: String) -> Single<String> {
        flights.value(for: name) { [self] in
            fetch(name)
                .timeout(total: .milliseconds(600), scheduler: scheduler)
                .metered("gateway.attempts")
                .admitted(by: bulkhead)
                .guarded(by: breaker)
                .retry(
                    .exponential(from: .milliseconds(20), limit: .milliseconds(200)), budget: budget,
                    if: { $0 is UpstreamFailed }, scheduler: scheduler
                )
                .deadline(in: .seconds(1), scheduler: scheduler)
        }
        .logged(logger, as: "users", errors: .debug)
        .metered("gateway.users")
    }

    private func fetch(_ name: String) -> Single<String> {
        let request = HTTPClientRequest(url: "\(upstream)/users/\(name)")
        return .create { [client] in
            let response = try await client.execute(request, timeout: .seconds(60))
            guard response.status == .ok else { throw UpstreamFailed(status: Int(response.status.code)) }
            return String(buffer: try await response.body.collect(upTo: 64 << 10))
        }
    }
}

struct UpstreamFailed: Error {
    let status: Int
}

/// A client's request, which is answered exactly once. If the gateway stops and releases the request, the answer is
/// ``GoingAway``.
final class Question: Sendable {
    let name: String
    private let waiting: Mutex<CheckedContinuation<String, any Error>?>

    init(_ name: String, _ waiting: CheckedContinuation<String, any Error>) {
        self.name = name
        self.waiting = Mutex(waiting)
    }

    deinit {
        answer(.failure(GoingAway()))
    }

    func answer(_ result: Result<String, any Error>) {
        let waiting = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        waiting?.resume(with: result)
    }
}

struct GoingAway: Error {}

extension HTTPResponse.Status {
    init(for error: any Error) {
        switch error {
        case is CircuitOpen, is BulkheadFull, is IntakeRefused, is GoingAway: self = .serviceUnavailable
        case is TimeoutError: self = .gatewayTimeout
        default: self = .badGateway
        }
    }
}
