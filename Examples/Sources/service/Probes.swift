import Hummingbird
import NIOCore
import RxResilience

extension Router {
    /// Adds `/health/started`, `/health/ready` and `/health/live`, with the status 200 or 503 and the whole report.
    func addProbes(_ health: Health) {
        add(health, "/health/started") { $0.isStarted }
        add(health, "/health/ready") { $0.isReady }
        add(health, "/health/live") { $0.isLive }
    }

    private func add(_ health: Health, _ path: RouterPath, _ isGood: @escaping @Sendable (Health.Report) -> Bool) {
        get(path) { _, _ -> Response in
            let report = health.report()
            return Response(
                status: isGood(report) ? .ok : .serviceUnavailable, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: report.json)))
        }
    }
}
