import RxSwift
import Synchronization

/// Runs the checks on the events of a subscription or of direct calls.
final class Probe: Sendable {
    let serial: SerialCheck
    let grammar: GrammarCheck
    let silence: SilenceCheck
    let order: OrderCheck
    let count: CountCheck

    init(producers: Int, label: String, violations: Violations) {
        serial = SerialCheck(label, violations)
        grammar = GrammarCheck(label, violations)
        silence = SilenceCheck(label, violations)
        order = OrderCheck(producers: producers, label, violations)
        count = CountCheck(producers: producers, label, violations)
    }

    func next(_ item: Item, _ inside: () -> Void = {}) {
        touch {
            order.next(item)
            count.next(item)
            inside()
        }
    }

    /// Runs all checks except order and count, for an element that is not an `Item`.
    func touch(_ inside: () -> Void) {
        let before = serial.enter()
        silence.delivery()
        grammar.next()
        inside()
        serial.leave(before)
    }

    func end() {
        let before = serial.enter()
        silence.delivery()
        grammar.end()
        serial.leave(before)
    }

    func watch(_ source: Observable<Item>, inside: @escaping @Sendable (Item) -> Void = { _ in }) -> any Disposable {
        watch(source, each: { [self] item in next(item) { inside(item) } })
    }

    func watch<Element>(_ source: Observable<Element>, each: @escaping @Sendable (Element) -> Void) -> any Disposable {
        source.subscribe(
            onNext: each, onError: { [self] _ in end() }, onCompleted: { [self] in end() },
            onDisposed: { [self] in grammar.onDisposed() })
    }

    func dispose(_ subscription: any Disposable) {
        subscription.dispose()
        silence.disposed()
    }

    /// Call it after the subscription has ended and nothing runs any more.
    func finish() {
        grammar.finish()
        count.finish()
    }
}

extension Worker {
    func visit(_ probe: Probe, _ source: Observable<Item>, _ stay: () -> Void) {
        var subscription: (any Disposable)?
        subscribe { subscription = probe.watch(source) }
        stay()
        operation {
            if let subscription { probe.dispose(subscription) }
        }
    }
}
