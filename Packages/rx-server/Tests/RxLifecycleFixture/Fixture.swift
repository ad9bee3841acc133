import Foundation
import Logging
import RxLifecycle
import ServiceLifecycle
import Synchronization

/// A server to which tests send signals. Its argument selects the pipeline. The exit status is 3 if work was left, 1 if
/// `run()` threw an error, and 0 otherwise.
@main
enum Fixture {
    static func main() async {
        let left = Mutex<Drain.Leftover?>(nil)
        let way = CommandLine.arguments.dropFirst().first ?? ""
        let service = RxService(
            "orders", drain: ["hangs", "blocks"].contains(way) ? .milliseconds(400) : .seconds(60),
            logger: Logger(label: "fixture") { _ in SwiftLogNoOpLogHandler() },
            onStopped: { what in
                say("left: \(what)")
                left.withLock { $0 = what }
            },
            pipeline: { drain in orders(way, drain) })
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm], cancellationSignals: [.sigint],
                logger: Logger(label: "fixture") { _ in SwiftLogNoOpLogHandler() }))
        do {
            try await group.run()
            say("returned")
            exit(left.withLock { $0?.isEmpty ?? true } ? 0 : 3)
        } catch {
            say("threw \(error)")
            exit(1)
        }
    }

    struct Declined: Error {}

    static let clock = ConcurrentDispatchQueueScheduler(qos: .default)

    static func orders(_ way: String, _ drain: Drain) -> Observable<String> {
        if way == "completes" { return .just("one order") }
        return Observable<Int>.interval(.milliseconds(50), scheduler: clock).until(drain, as: "orders")
            .flatMap { order in Observable.deferred { charge(order, way) }.counted(by: drain, as: "charge") }
            .do(onNext: { say("confirmed \($0)") })
            .do(onDispose: { say("disposed") })
    }

    static func charge(_ order: Int, _ way: String) -> Observable<String> {
        // Only the first charge is in progress when the signal arrives.
        guard order == 0 else { return .empty() }
        say("charging")
        switch way {
        case "hangs": return .never()
        case "blocks":
            return .create { _ in
                while true { sleep(100) }
            }
        case "fails":
            return Observable<Int>.timer(.milliseconds(200), scheduler: clock).map { _ in throw Declined() }
        default: return Observable<Int>.timer(.milliseconds(200), scheduler: clock).map { _ in "0" }
        }
    }

    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
