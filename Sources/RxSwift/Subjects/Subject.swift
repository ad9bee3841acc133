internal import CRxCore

/// The superclass of the subjects: a *handle* of a core, which receives the events and has the observers.
///
/// Subscriptions retain the core and not the handle. So when the program releases the subject, all observers are
/// released, except chains with a teardown.
// @unchecked Sendable because the core has its own guards.
public class _Subject<Element>: Observable<Element>, @unchecked Sendable {
    /// The core, which each subclass creates. So a subclass may cast it to the class that it has created.
    @usableFromInline
    final let core: SubjectBase

    // Inlinable, so that specialised code needs no context for the closure.
    @inlinable
    init(_ core: SubjectBase) {
        self.core = core
        super.init { base, context in
            unsafeDowncast(base, to: _Subject<Element>.self).core.attach(&context, handle: base)
            return nil
        }
    }

    deinit {
        SubjectBase.handleIsGone(.passUnretained(core))
    }

    @usableFromInline
    final override var isTrampolined: Bool { false }

    @usableFromInline
    final override var subjectCore: Unretained<SubjectBase>? { core.unlessWatched }

    package final var readiness: SubjectReadiness { core.readiness }
}

extension _Subject {
    /// Sends an event to the core, an instance of `Core`.
    @inlinable
    @inline(__always)
    final func push<Core: SubjectBase & GateTarget>(_ event: Event<Element>, to _: Core.Type)
    where Core.Element == Element {
        assert(isControlPoint("push"))
        typedCore(Core.self).use { $0.enter(event: event) }
    }

    /// Sends an element of a chain that has this subject as its observer.
    @inlinable
    @inline(__always)
    final func forward<Core: SubjectBase & GateTarget>(_ element: Element, to _: Core.Type)
    where Core.Element == Element {
        typedCore(Core.self).use { $0.enter(element) }
    }

    // `Unretained`, because the cast would retain the core at each push. The handle retains it.
    @inlinable
    @inline(__always)
    final func typedCore<Core: SubjectBase>(_: Core.Type) -> Unretained<Core> {
        Unretained(unsafeDowncast(core, to: Core.self))
    }
}

extension GateTarget where Self: SubjectBase {
    @inlinable
    static var holdsGate: Bool { true }
}
