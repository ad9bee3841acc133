extension ObservableType {
    /// Marks a place in a chain. The name of the place is recorded for each error that passes it.
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
    /// An equal error, or an error that wraps this error, has its own trail. Trails exist for the 256 errors that most
    /// recently passed their first checkpoint, each with at most the first 32 and the last 32 names. A trail retains
    /// its error, unless the type of the error is a class. Any thread may call this function.
    public static func trail(of error: any Error) -> [String] {
        trails.withLock { $0.names(of: error) }
    }

    fileprivate static func pass(_ error: any Error, _ name: String) {
        // A removed trail may have the last reference to its error. The `deinit` of an error is user code.
        let removed = trails.withLock { $0.add(name, to: error) }
        withExtendedLifetime(removed) {}
    }

    private static let trails = Locked(Trails())
}

struct Trails {
    struct Trail {
        fileprivate let identity: ErrorIdentity
        /// An error whose type is a class; nil after that error has been freed.
        fileprivate weak var object: AnyObject?
        /// An error of any other type. While this copy exists, no other error has its identity.
        fileprivate let value: (any Error)?
        fileprivate var names: [String]
        private static let kept = 32

        fileprivate mutating func append(_ name: String) {
            names.append(name)
            if names.count > 2 * Self.kept { names.remove(at: Self.kept) }
        }
    }

    static let capacity = 256

    /// The oldest trail is first.
    private var trails: [Trail] = []

    /// Returns a removed trail, which the caller must release outside the lock.
    mutating func add(_ name: String, to error: any Error) -> Trail? {
        if let index = index(of: error) {
            trails[index].append(name)
            return nil
        }
        let object = error.object
        trails.append(
            Trail(identity: ErrorIdentity(error), object: object, value: object == nil ? error : nil, names: [name]))
        return trails.count > Self.capacity ? trails.removeFirst() : nil
    }

    func names(of error: any Error) -> [String] {
        index(of: error).map { trails[$0].names } ?? []
    }

    private func index(of error: any Error) -> Int? {
        let (identity, object) = (ErrorIdentity(error), error.object)
        return trails.firstIndex { $0.identity == identity && $0.object === object }
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
