extension ObservableType {
    /// Marks a place in a chain, by which an error says where it came through.
    ///
    ///     source:               --1--#
    ///     checkpoint("parsed"): --1--#
    ///     trail:                -----"parsed"
    ///
    /// ![All passes; an error's trail has the name](marble-checkpoint)
    ///
    /// ```swift
    /// rows.map(parse).checkpoint("parsed")
    ///     .flatMap(store).checkpoint("stored")
    ///     .subscribe(onError: { error in log("\(error) came through \(Checkpoint.trail(of: error))") })
    /// ```
    ///
    /// Events pass as they are, on the thread that delivers them, and so does an error: it keeps its type, and the
    /// names are kept beside it. An error that nobody takes is reported with them. An element costs one stage that
    /// hands it on; nothing is kept until an error comes.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below.
    ///
    /// - Parameter name: what the place is called.
    public func checkpoint(_ name: String) -> Observable<Element> {
        lift(CheckpointStage(name: name))
    }
}

/// The marked places that errors have come through; see ``ObservableType/checkpoint(_:)``.
public enum Checkpoint {
    /// The names of the checkpoints that an error has passed, in this order; empty where it has passed none.
    ///
    /// An error is known by its object, where it is one, else by the box that `any Error` has it in: who wraps it, or
    /// throws an equal one, has another. Its trail is remembered while the error lives, and does not keep it. One that
    /// is sent again and again has a trail for all of these times: of that the first 32 names and the last 32 are
    /// remembered. Any thread may ask.
    ///
    /// - Parameter error: as it was delivered.
    public static func trail(of error: any Error) -> [String] {
        let object = object(of: error)
        return trails.withLock { trails in
            guard let trail = trails.of[ObjectIdentifier(object)], trail.error === object else { return [] }
            return trail.names
        }
    }

    fileprivate static func pass(_ error: any Error, _ name: String) {
        let object = object(of: error)
        // What was looked at is released under no lock: it may be the last reference by now.
        let seen = trails.withLock { $0.add(name, object) }
        withExtendedLifetime(seen) {}
    }

    /// What lives as long as an error: itself, where it is of a class, else its box, which copies of an `any Error`
    /// share, and which is an object like any other.
    static func object(of error: any Error) -> AnyObject {
        // The cast: `any Error` is one reference to an object. `CheckpointTests` fail on a compiler where it is not.
        type(of: error) is AnyClass ? error as AnyObject : unsafeBitCast(error as any Error, to: AnyObject.self)
    }

    private static let trails = Locked(Trails())
}

/// Where errors have come through.
struct Trails {
    struct Trail {
        /// Nil once the error has gone; another one may have its place then.
        weak var error: AnyObject?
        var names: [String]
        /// How many names are kept of the beginning, and of the end.
        private static let kept = 32

        mutating func append(_ name: String) {
            names.append(name)
            if names.count > 2 * Self.kept { names.remove(at: Self.kept) }
        }
    }

    private(set) var of: [ObjectIdentifier: Trail] = [:]
    /// With so many, those of errors that have gone are forgotten.
    private var limit = 64

    /// Returns the errors that it has looked at, for the caller to release.
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
