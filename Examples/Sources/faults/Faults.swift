import Dispatch
import Foundation
import RxRelay
import RxSwift

/// `faults FAULT`: runs a program with that fault and prints the library's report, as the page *Looking into a program*
/// shows it.
@main
enum Faults {
    static let all: [(name: String, run: @Sendable () -> Void)] = [
        ("retry", retry), ("loop", loop), ("flatmap", flatMap), ("leak", leak), ("checkpoint", checkpoint),
        ("listing", listing),
    ]

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 1, let fault = all.first(where: { $0.name == arguments.first }) else {
            FileHandle.standardError.write(Data("usage: faults \(all.map(\.name).joined(separator: "|"))\n".utf8))
            exit(2)
        }
        fault.run()
    }

    private struct Unreachable: Error {}

    static func retry() {
        named {
            DispatchQueue.global().async { _ = Observable<Int>.error(Unreachable()).retry().subscribe() }
        }
    }

    /// Binds two relays to each other, with hops between them.
    static func loop() {
        let (celsius, fahrenheit) = (PublishRelay<Int>(), PublishRelay<Int>())
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "state")
        named {
            _ = celsius.observe(on: scheduler).map { $0 * 9 / 5 + 32 }.bind(to: fahrenheit)
            _ = fahrenheit.observe(on: scheduler).map { ($0 - 32) * 5 / 9 }.bind(to: celsius)
            celsius.accept(20)
        }
    }

    static func flatMap() {
        let orders = PublishSubject<Int>()
        named {
            _ = orders.flatMap { _ in Observable<Int>.never() }.subscribe()
            DispatchQueue.global().async { for order in 0... { orders.onNext(order) } }
        }
    }

    static func leak() {
        Subscriptions.reportLeaksAtExit()
        _ = Observable<Int>.interval(.seconds(1), scheduler: SerialDispatchQueueScheduler(qos: .utility)).map { -$0 }
            .subscribe()
        exit(0)
    }

    static func checkpoint() {
        _ = Observable.of("1", "x").map { text in
            guard let number = Int(text) else { throw Unreachable() }
            return number
        }.checkpoint("parsed").flatMap { Observable.just($0) }.checkpoint("stored").subscribe()
    }

    static func listing() {
        Subscriptions.areListed = true
        let queue = DispatchQueue(label: "orders")
        let orders = PublishSubject<Int>()
        let subscription = orders.filter { $0 > 1 }
            .flatMap { _ in
                Observable<Int>.interval(.seconds(1), scheduler: SerialDispatchQueueScheduler(qos: .utility))
            }
            .observe(on: SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "orders"))
            .subscribe()
        for order in 0..<4 { orders.onNext(order) }
        print(Subscriptions.text)
        subscription.dispose()
    }

    /// Runs `body`, and waits until the library has reported a runaway.
    private static func named(_ body: () -> Void) {
        let found = DispatchSemaphore(value: 0)
        Hooks.watchForRunaways { runaway in
            print(runaway)
            found.signal()
        }
        body()
        found.wait()
    }
}
