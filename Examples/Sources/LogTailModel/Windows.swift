public import RxSwift

/// The number of lines of each status in one second.
public struct Window: Hashable, Sendable {
    public let second: Int
    public let lines: [Int: Int]

    public init(second: Int, lines: [Int: Int]) {
        self.second = second
        self.lines = lines
    }
}

/// Counts lines by the second in their text, so the counts do not depend on the reader's delay.
///
/// Lines are nearly in order. A second stays open until a line arrives that is more than `lateness` seconds later. A
/// line of a closed second opens another window, so the consumer must add up the counts of a second's windows.
public struct Windows: Sendable {
    private let lateness: Int
    private var open: [Int: [Int: Int]] = [:]
    private var newest = Int.min

    public init(lateness: Int) {
        self.lateness = lateness
    }

    /// Counts a line. Returns the windows of the seconds that this line closes, ordered by second.
    public mutating func add(_ entry: Entry) -> [Window] {
        open[entry.second, default: [:]][entry.status, default: 0] += 1
        guard entry.second > newest else { return [] }
        newest = entry.second
        let bound = newest - lateness
        return close { $0 < bound }
    }

    public mutating func closeAll() -> [Window] {
        close { _ in true }
    }

    private mutating func close(where isOver: (Int) -> Bool) -> [Window] {
        open.keys.filter(isOver).sorted().map { Window(second: $0, lines: open.removeValue(forKey: $0)!) }
    }
}

extension ObservableType where Element == Entry {
    /// Counts the lines of each second and status. Sends a second's window when the second is closed, or at the end.
    public func countedBySecond(lateness: Int) -> Observable<[Window]> {
        lift(CountedBySecond(lateness: lateness))
    }
}

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
