public import RxSwift

/// How many lines a second had of each status.
public struct Window: Hashable, Sendable {
    public let second: Int
    /// By status.
    public let lines: [Int: Int]

    public init(second: Int, lines: [Int: Int]) {
        self.second = second
        self.lines = lines
    }
}

/// Counts lines by the second that they name, not by the one in which they are read: so that the counts are right
/// however far behind the reader is, and the same each time the log is read.
///
/// Lines come nearly in order. A second is kept open until one comes that is `lateness` seconds past it. What is later
/// than that begins its second anew, and goes out with the next ones that are over: whoever stores it adds it up.
public struct Windows: Sendable {
    private let lateness: Int
    private var open: [Int: [Int: Int]] = [:]
    private var newest = Int.min

    /// - Parameter lateness: for how many seconds more lines of a second are waited for.
    public init(lateness: Int) {
        self.lateness = lateness
    }

    /// Counts a line.
    ///
    /// - Returns: the seconds that are over now, in their order.
    public mutating func add(_ entry: Entry) -> [Window] {
        open[entry.second, default: [:]][entry.status, default: 0] += 1
        guard entry.second > newest else { return [] }
        newest = entry.second
        let bound = newest - lateness
        return close { $0 < bound }
    }

    /// The seconds that are still open.
    public mutating func closeAll() -> [Window] {
        close { _ in true }
    }

    private mutating func close(where isOver: (Int) -> Bool) -> [Window] {
        open.keys.filter(isOver).sorted().map { Window(second: $0, lines: open.removeValue(forKey: $0)!) }
    }
}

extension ObservableType where Element == Entry {
    /// The lines of each second, counted by status, once that is over: several seconds at a time where several are.
    /// What is open at the end is sent then.
    ///
    /// - Parameter lateness: for how many seconds more lines of a second are waited for.
    public func countedBySecond(lateness: Int) -> Observable<[Window]> {
        lift(CountedBySecond(lateness: lateness))
    }
}

/// The windows of one subscription.
private struct CountedBySecond: LinearOperator {
    typealias Input = Entry
    typealias Output = [Window]

    let lateness: Int

    static var asksWhetherLive: Bool { false }
    static var endsEarly: Bool { false }

    func makeState() -> Windows { Windows(lateness: lateness) }

    func next(_ entry: Entry, _ stage: borrowing LinearStage<Self>) -> [Window]? {
        let over = stage.state.add(entry)
        return over.isEmpty ? nil : over
    }

    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        let rest = stage.state.closeAll()
        if !rest.isEmpty { stage.send(rest) }
        return error
    }
}
