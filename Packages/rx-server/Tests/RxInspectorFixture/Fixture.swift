import Dispatch
import Foundation
import RxInspector
import RxResilience
import RxSwift

/// A program with known subscriptions, for scripts/test-inspector.sh. It prints its port. Each line of its standard
/// input is a command that changes the subscriptions: `pause`, `resume`, `zip`, `unzip`, `leak N`, `many N`, `fail`,
/// `retry N`, `stall` or `load N`. The program exits at the end of its input.
@main
enum Fixture {
    struct Refused: Error {
        let order: Int
    }

    static func main() async throws {
        Counters.isCounting = true
        Hooks.defaultErrorHandler = { _, _ in }
        let inspector = Inspector(title: "fixture", documentation: "https://docs.example.org")
        let watch = inspector.watch(stallsLongerThan: .milliseconds(200))
        let server = try await InspectorServer.start(inspector)
        let program = Program()
        say("port \(server.port)")
        while let line = readLine() {
            program.run(line.split(separator: " ").map(String.init))
            say("done \(line)")
        }
        watch.dispose()
        try await server.stop()
    }

    static func say(_ text: String) {
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }

    /// Only the main thread uses it. Other threads may push into its subjects.
    final class Program {
        let (orders, prices, ticks) = (PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>())
        let queue = DispatchQueue(label: "warehouse")
        let workers = DispatchQueue(label: "workers")
        let load = PublishSubject<Int>()
        let bids = PublishSubject<Int>()
        let retried = SerialDisposable()
        let blocked = SerialDispatchQueueScheduler(internalSerialQueueName: "blocked")
        let bag = DisposeBag()
        let breaker = CircuitBreaker("payments")
        let database = Bulkhead(4, waiting: 8, name: "database")
        let budget = RetryBudget(ratio: 0.1)
        let intake = Intake<Int>(atMost: 100, name: "orders")
        let zipped = SerialDisposable()
        var isPaused = false

        init() {
            let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "warehouse")
            let workers = SerialDispatchQueueScheduler(queue: workers, internalSerialQueueName: "workers")
            orders.filter { $0 > 0 }
                .flatMap { order in Observable<Int>.timer(.seconds(1), scheduler: workers).map { _ in order } }
                .observe(on: scheduler, buffering: .pausing(16))
                .map { $0 + 1 }
                .subscribe(onNext: { _ in })
                .disposed(by: bag)
            Observable<Int>.interval(.milliseconds(20), scheduler: workers)
                .observe(on: scheduler, buffering: .pausing(16))
                .scan(0) { $0 + $1 }
                .subscribe(onNext: { _ in })
                .disposed(by: bag)
            prices.observe(on: workers, buffering: .newest(1)).distinctUntilChanged()
                .subscribe(onNext: { _ in })
                .disposed(by: bag)
            load.map { $0 + 1 }.filter { $0 >= 0 }.subscribe(onNext: { _ in }).disposed(by: bag)
        }

        func run(_ words: [String]) {
            let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
            switch words.first {
            case "pause" where !isPaused:
                isPaused = true
                queue.suspend()
                for order in 1...40 { orders.onNext(order) }
            case "resume" where isPaused:
                isPaused = false
                queue.resume()
            case "zip":
                zipped.disposable = Observable.zip(
                    Observable.range(start: 0, count: 100), Observable<Int>.never(), buffering: .pausing(8)
                ) { $0 + $1 }.subscribe(onNext: { _ in })
            case "unzip": zipped.disposable = Disposables.create()
            case "leak":
                for _ in 0..<max(1, number) { _ = ticks.map { $0 }.filter { $0 > 0 }.subscribe(onNext: { _ in }) }
            case "many":
                for each in 0..<number {
                    switch each % 3 {
                    case 0: ticks.map { $0 }.subscribe(onNext: { _ in }).disposed(by: bag)
                    case 1: ticks.filter { $0 > 0 }.take(10).subscribe(onNext: { _ in }).disposed(by: bag)
                    default: ticks.scan(0) { $0 + $1 }.skip(1).subscribe(onNext: { _ in }).disposed(by: bag)
                    }
                }
            case "fail":
                for order in 0..<3 { _ = Observable<Int>.error(Refused(order: order)).checkpoint("charge").subscribe() }
            case "retry":
                retried.disposable = bids.map { if $0 < 0 { throw Refused(order: $0) } }.retry()
                    .subscribe(onNext: { _ in })
                for _ in 0..<number { bids.onNext(-1) }
            case "stall":
                _ = Observable.just(1).observe(on: blocked).subscribe(onNext: { _ in usleep(500_000) })
            // About `number` elements per second, on a separate thread.
            case "load":
                Thread.detachNewThread { [load] in
                    while true {
                        for element in 0..<(number / 100) { load.onNext(element) }
                        usleep(10_000)
                    }
                }
            default: break
            }
        }
    }
}
