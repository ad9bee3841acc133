extension ObservableType {
    /// Marks a place in a chain. The name of the place is recorded for each error that passes it.
    ///
    ///     source:               --1--#
    ///     checkpoint("parsed"): --1--#
    ///     trail:                -----"parsed"
    ///
    /// ![All events pass; the error's trail contains the name](marble-checkpoint)
    ///
    /// ```swift
    /// rows.map(parse).checkpoint("parsed")
    ///     .flatMap(store).checkpoint("stored")
    ///     .subscribe(onError: { error in log("\(error) came through \(Checkpoint.trail(of: error))") })
    /// ```
    ///
    /// Events pass unchanged, on the delivering thread. The report of an unhandled error contains the names.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    public func checkpoint(_ name: String) -> Observable<Element> {
        lift(CheckpointStage(name: name))
    }
}

/// The checkpoints that an error has passed; see ``ObservableType/checkpoint(_:)``.
public enum Checkpoint {
    /// Returns the names of the checkpoints that an error has passed, in order.
    ///
    /// An error is identified by its object: for a struct or an enumeration, the box that `any Error` allocates. An
    /// equal error, or an error that wraps this error, has its own trail. A trail is stored while the error lives, and
    /// contains at most the first 32 and the last 32 names. Any thread may call this function.
    public static func trail(of error: any Error) -> [String] {
        let object = object(of: error)
        return trails.withLock { trails in
            guard let trail = trails.of[ObjectIdentifier(object)], trail.error === object else { return [] }
            return trail.names
        }
    }

    fileprivate static func pass(_ error: any Error, _ name: String) {
        let object = object(of: error)
        // `seen` may contain the last references to errors. They are released after unlocking, because the `deinit` of
        // an error is user code.
        let seen = trails.withLock { $0.add(name, object) }
        withExtendedLifetime(seen) {}
    }

    /// The error itself if its type is a class, otherwise its box. All copies of an `any Error` share one box.
    static func object(of error: any Error) -> AnyObject {
        // The cast is valid, because `any Error` is one reference to an object. `CheckpointTests` verifies this.
        type(of: error) is AnyClass ? error as AnyObject : unsafeBitCast(error as any Error, to: AnyObject.self)
    }

    private static let trails = Locked(Trails())
}

struct Trails {
    struct Trail {
        /// The error; nil after it has been freed, even if another error has the same address.
        weak var error: AnyObject?
        var names: [String]
        private static let kept = 32

        mutating func append(_ name: String) {
            names.append(name)
            if names.count > 2 * Self.kept { names.remove(at: Self.kept) }
        }
    }

    private(set) var of: [ObjectIdentifier: Trail] = [:]
    /// If there are more trails than this number, the trails of freed errors are removed.
    private var limit = 64

    /// Adds `name` to the trail of `error`. Returns errors that the caller must release outside the lock.
    mutating func add(_ name: String, _ error: AnyObject) -> [AnyObject] {
        let id = ObjectIdentifier(error)
        if of[id]?.error === error {
            of[id]?.append(name)
            return []
        }
        of[id] = Trail(error: error, names: [name])
        guard of.count > limit else { return [] }
        let living = of.compactMap { id, trail in trail.error.map { (id, $0) } }
        let ids = Set(living.map(\.0))
        of = of.filter { ids.contains($0.key) }
        limit = max(64, 2 * of.count)
        return living.map(\.1)
    }
}

private struct CheckpointStage<Input>: FilteringOperator {
    let name: String

    func passes(_: Input, _: borrowing LinearStage<Self>) -> Bool { true }

    func end(_ error: (any Error)?, _: borrowing LinearStage<Self>) -> (any Error)? {
        if let error { Checkpoint.pass(error, name) }
        return error
    }

    static var asksWhetherLive: Bool { false }

    static var endsEarly: Bool { false }
}
