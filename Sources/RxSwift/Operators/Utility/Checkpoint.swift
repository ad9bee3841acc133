extension ObservableType {
    /// Marks a place in a chain, by which an error says where it came through.
    ///
    /// ```swift
    /// rows.map(parse).checkpoint("parsed")
    ///     .flatMap(store).checkpoint("stored")
    ///     .subscribe(onError: { error in log("\(error) came through \(Checkpoint.trail(of: error))") })
    /// ```
    ///
    /// Events pass as they are, on the thread that delivers them, and so does an error: it keeps its type, and the names
    /// are kept beside it. An error that nobody takes is reported with them. An element costs one stage that hands it
    /// on; nothing is kept until an error comes.
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
    /// throws an equal one, has another. The latest 64 errors are remembered, and kept for that. Any thread may ask.
    ///
    /// - Parameter error: as it was delivered.
    public static func trail(of error: any Error) -> [String] {
        let box = box(of: error)
        return trails.withLock { $0.first { $0.box == box }?.names } ?? []
    }

    fileprivate static func pass(_ error: any Error, _ name: String) {
        let box = box(of: error)
        var forgotten: Trail?
        trails.withLock { trails in
            if let index = trails.firstIndex(where: { $0.box == box }) {
                trails[index].names.append(name)
            } else {
                if trails.count == 64 { forgotten = trails.removeFirst() }
                trails.append(Trail(box: box, error: error, names: [name]))
            }
        }
        withExtendedLifetime(forgotten) {}
    }

    /// Where an error is: a copy of `any Error` shares its box.
    private static func box(of error: any Error) -> UInt {
        if type(of: error) is AnyClass { return UInt(bitPattern: ObjectIdentifier(error as AnyObject)) }
        return unsafeBitCast(error as any Error, to: UInt.self)
    }

    private static let trails = Locked<[Trail]>([])
}

/// Where an error has come through. The error is kept, so that no other one has its place.
private struct Trail {
    let box: UInt
    let error: any Error
    var names: [String]
}

private struct CheckpointStage<Input>: LinearOperator {
    let name: String

    func next(_ element: Input, _: borrowing LinearStage<Self>) -> Input? { element }

    func end(_ error: (any Error)?, _: borrowing LinearStage<Self>) -> (any Error)? {
        if let error { Checkpoint.pass(error, name) }
        return error
    }

    static var asksWhetherLive: Bool { false }

    static var endsEarly: Bool { false }
}
