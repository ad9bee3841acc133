import Synchronization

/// The element of the soak, with a counted lifetime.
struct Item: Sendable {
    let producer: Int
    let number: Int
    let life: Lifetime?

    init(_ producer: Int, _ number: Int, life: Lifetime? = nil) {
        self.producer = producer
        self.number = number
        self.life = life
    }
}

final class Lifetimes: Sendable {
    fileprivate let living = Atomic<Int>(0)

    var count: Int { living.load(ordering: .relaxed) }

    func make() -> Lifetime {
        Lifetime(self)
    }
}

final class Lifetime: Sendable {
    private let lifetimes: Lifetimes

    fileprivate init(_ lifetimes: Lifetimes) {
        self.lifetimes = lifetimes
        lifetimes.living.add(1, ordering: .relaxed)
    }

    deinit {
        lifetimes.living.subtract(1, ordering: .relaxed)
    }
}
