import RxSwift

/// Elements with their arrival times, oldest first.
///
/// Guards: `entries` is used only by the thread that delivers.
final class Backlog<Element> {
    private var entries = Ring<(time: Int, element: Element)>()

    func append(_ element: Element, at time: Int) {
        entries.append((time, element))
    }

    func removeFirst(upTo time: Int) -> Element? {
        guard let first = entries.first, first.time <= time else { return nil }
        return entries.removeFirst().element
    }

    func removeAll() -> [Element] {
        entries.removeAll().map(\.element)
    }
}
