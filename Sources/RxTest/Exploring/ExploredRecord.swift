internal import CRxCore
public import RxSwift

/// The events of one subscription in an ``ExploredWorld``.
///
/// Guard: used by the exploring thread before and after the run, and by the running controlled thread during the run.
public final class ExploredRecord<Element>: @unchecked Sendable {  // because of the guard above
    /// The events.
    public private(set) var events: [Event<Element>] = []

    private unowned let world: ExploredWorld
    private let name: String
    private let subscription = SingleAssignmentDisposable()
    /// The controlled thread that is calling the observer.
    private var inside: Int32?

    init(_ world: ExploredWorld, _ name: String) {
        self.world = world
        self.name = name
    }

    /// The elements.
    public var elements: [Element] { events.compactMap(\.element) }

    /// Disposes of the subscription.
    public func dispose() {
        subscription.dispose()
    }

    func listen(to source: Observable<Element>) {
        subscription.setDisposable(source.subscribe { [self] event in receive(event) })
    }

    func receive(_ event: Event<Element>) {
        let thread = crx_explore_current()
        if thread < 0, world.phase == .running {
            return world.refuse(
                "\(name) received an event on a thread that the world does not control: use world.scheduler instead of "
                    + "other schedulers, and world.thread instead of other threads")
        }
        if let inside, inside != thread {
            world.blame("\(name) received \(text(event)) while another thread was in its observer")
        }
        if events.last?.isStopEvent == true { world.blame("\(name) received \(text(event)) after its end") }
        let outer = inside
        inside = thread
        events.append(event)
        world.show("\(name) \(text(event))")
        ControlPoint.pass("an observer that the world records")
        inside = outer
    }

    private func text(_ event: Event<Element>) -> String {
        switch event {
        case .next(let element): "\(element)"
        case .error(let error): "error \(error)"
        case .completed: "completed"
        }
    }
}

protocol RunRecord {
    var texts: [String] { get }
    var summary: String { get }
    func end()
}

extension ExploredRecord: RunRecord {
    var texts: [String] { events.map(text) }
    var summary: String { "\(name): \(texts.joined(separator: ", "))" }
    func end() { subscription.dispose() }
}
