import RxSwift
import Testing

/// One form of an operator, a subject or a source, and what the laws need to know of it.
struct Row: Sendable {
    /// What is special about a form. Without any: it passes on what it likes, completes once its sources have, and
    /// fails when the first does.
    struct Traits: OptionSet {
        let rawValue: Int

        /// Closures that may throw; the error becomes an event.
        static let throwing = Traits(rawValue: 1)
        /// Each element of each source comes out exactly once.
        static let exact = Traits(rawValue: 2)
        /// It may end before its sources do.
        static let endsItself = Traits(rawValue: 4)
        /// It does not end because its sources complete.
        static let endless = Traits(rawValue: 8)
        /// It goes on after an error of its first source.
        static let survives = Traits(rawValue: 16)
        /// It keeps elements or errors for late observers.
        static let retains = Traits(rawValue: 32)
        /// It ends with an error of its own.
        static let fails = Traits(rawValue: 64)
        /// It has subscriptions that do not belong to the observer.
        static let shared = Traits(rawValue: 128)
        /// It ends, or waits for ever, depending on which source ends first.
        static let waits = Traits(rawValue: 256)
        /// It subscribes again at an error, at once: a source that keeps its error would keep it busy for ever.
        static let retries = Traits(rawValue: 512)
        /// It may be subscribed to one source several times at once.
        static let multiplies = Traits(rawValue: 1024)
        /// Its element is its end: one event, of which the probe makes two.
        static let oneEvent = Traits(rawValue: 2048)
        /// It has no logic of its own but calls another form, whose rows stand for it where threads race.
        static let delegates = Traits(rawValue: 4096)
        /// A task observes its sources, and lets go of them when it next has its turn.
        static let awaits = Traits(rawValue: 8192)
        /// Its closures are called when it is subscribed to, or for an error, and not for an element.
        static let prepares = Traits(rawValue: 16384)
        /// It keeps its observer while a control lives, which the observer keeps.
        static let anchored = Traits(rawValue: 32768)
    }

    /// An operator that goes on when a source of it has ended.
    enum Nesting: CaseIterable {
        case merge, flatMap, concat, `catch`
    }

    /// What is subscribed: a form on the sources of one rig.
    struct Form {
        let subscribe: (Probe) -> any Disposable
        /// Subscribes it as the source of another operator; nil where it is no sequence.
        private(set) var nested: (Probe, Nesting) -> (any Disposable)? = { _, _ in nil }

        init(_ observed: some Observed) {
            subscribe = { probe in observed.subscribe(probe) }
            nested = { probe, nesting in observed.nested(probe, nesting) }
        }

        init(_ subscribe: @escaping (Probe) -> any Disposable) {
            self.subscribe = subscribe
        }

        /// A connectable source, connected after its first observer came.
        init<Output>(connecting observable: ConnectableObservable<Output>) {
            subscribe = { probe in
                let subscription = observable.subscribe { probe.on($0) }
                return Disposables.create(subscription, observable.connect())
            }
        }
    }

    /// The form with its argument labels, as the declaration has it: `static merge(_:)`, `take(_:)`, `PublishSubject`.
    let name: String
    /// Tells rows of one form apart.
    let note: String
    let traits: Traits
    /// Builds the form, anew for each rig.
    let form: @Sendable (Rig) -> Form

    init(
        _ name: String, _ note: String = "", _ traits: Traits = [], _ build: @escaping @Sendable (Rig) -> some Observed
    ) {
        self.init(name, note, traits, form: { Form(build($0)) })
    }

    init(_ name: String, _ note: String = "", _ traits: Traits = [], form: @escaping @Sendable (Rig) -> Form) {
        self.name = name
        self.note = note
        self.traits = traits
        self.form = form
    }

    func `is`(_ trait: Traits) -> Bool { traits.contains(trait) }
}

extension Row: CustomTestStringConvertible {
    var testDescription: String { note.isEmpty ? name : "\(name) \(note)" }
}

/// A row at work: its rig, its observer, its subscription.
///
/// With the trial ends the subscription, and what that leaves to do is done. What is then still there is a leak.
final class Trial: @unchecked Sendable {  // immutable
    let rig: Rig
    let probe = Probe()
    /// Kept, because others subscribe to it, too, where the check wants that; `nil` where the check looks for what is
    /// released.
    let form: Row.Form?
    let subscription: any Disposable

    /// Builds the row's form and subscribes to it.
    ///
    /// - Parameters:
    ///   - keepsForm: whether the observable stays alive after the subscription.
    ///   - prepare: sets what happens in closures, deliveries and disposals.
    ///   - nesting: what it is a source of, if anything.
    init(
        _ row: Row, _ head: Feed.Head = .subject, keepsForm: Bool = true, in nesting: Row.Nesting? = nil,
        prepare: (Rig, Probe) -> Void = { _, _ in }
    ) {
        rig = Rig(row.is(.retries) ? .create : head)
        prepare(rig, probe)
        let form = row.form(rig)
        subscription =
            if let nesting { form.nested(probe, nesting) ?? Disposables.create() } else { form.subscribe(probe) }
        self.form = keepsForm ? form : nil
        rig.settle(0)
    }

    deinit {
        subscription.dispose()
        rig.settle()
    }
}
