import Dispatch
import Foundation
import RxRelay
import RxSwift

/// `faults FAULT`: a program with that fault, and what the library says of it. *Looking into a program* in the
/// documentation shows each.
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

    /// Subscribes again at once to what fails at once, for ever.
    static func retry() {
        named {
            DispatchQueue.global().async { _ = Observable<Int>.error(Unreachable()).retry().subscribe() }
        }
    }

    /// Two relays, each bound to the other, with a hop between.
    static func loop() {
        let (celsius, fahrenheit) = (PublishRelay<Int>(), PublishRelay<Int>())
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "state")
        named {
            _ = celsius.observe(on: scheduler).map { $0 * 9 / 5 + 32 }.bind(to: fahrenheit)
            _ = fahrenheit.observe(on: scheduler).map { ($0 - 32) * 5 / 9 }.bind(to: celsius)
            celsius.accept(20)
        }
    }

    /// Starts a call for each element, and none of them ends.
    static func flatMap() {
        let orders = PublishSubject<Int>()
        named {
            _ = orders.flatMap { _ in Observable<Int>.never() }.subscribe()
            DispatchQueue.global().async { for order in 0... { orders.onNext(order) } }
        }
    }

    /// Ends with a subscription that nobody has disposed of.
    static func leak() {
        Subscriptions.reportLeaksAtExit()
        _ = Observable<Int>.interval(.seconds(1), scheduler: SerialDispatchQueueScheduler(qos: .utility)).map { -$0 }
            .subscribe()
        exit(0)
    }

    /// An error that says where it came through.
    static func checkpoint() {
        _ = Observable.of("1", "x").map { text in
            guard let number = Int(text) else { throw Unreachable() }
            return number
        }.checkpoint("parsed").flatMap { Observable.just($0) }.checkpoint("stored").subscribe()
    }

    /// What a running program shows of itself.
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

    /// Runs what has a fault, until that has been named.
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
