import RxSwift
import Testing

/// One form of an operator, a subject or a source, with the properties that the laws need.
struct Row: Sendable {
    /// A form without special properties passes on a subset of the elements, completes after its sources, and fails
    /// when its first source fails.
    struct Traits: OptionSet {
        let rawValue: Int

        /// Has closures that may throw. The error becomes an event.
        static let throwing = Traits(rawValue: 1)
        /// Sends each element of each source exactly once.
        static let exact = Traits(rawValue: 2)
        /// May end before its sources.
        static let endsItself = Traits(rawValue: 4)
        /// Does not end when its sources complete.
        static let endless = Traits(rawValue: 8)
        /// Continues after an error of its first source.
        static let survives = Traits(rawValue: 16)
        /// Stores elements or errors for late observers.
        static let retains = Traits(rawValue: 32)
        /// Ends with its own error, even if no source fails.
        static let fails = Traits(rawValue: 64)
        /// Has subscriptions that do not belong to a single observer.
        static let shared = Traits(rawValue: 128)
        /// Ends or waits forever, depending on which source ends first.
        static let waits = Traits(rawValue: 256)
        /// Subscribes again at once after an error. A source that always fails would keep the form busy forever.
        static let retries = Traits(rawValue: 512)
        /// May have several subscriptions to one source at a time.
        static let multiplies = Traits(rawValue: 1024)
        /// Sends one event that is both element and end, as a single does. The probe counts both.
        static let oneEvent = Traits(rawValue: 2048)
        /// Calls another form and has no logic of its own. Tests with several threads use the other form's rows.
        static let delegates = Traits(rawValue: 4096)
        /// Observes its sources in a task, and releases them when the task runs next.
        static let awaits = Traits(rawValue: 8192)
        /// Calls its closures at the subscription or for an error, but not for an element.
        static let prepares = Traits(rawValue: 16384)
        /// Retains its observer while a control lives, and the observer retains that control.
        static let anchored = Traits(rawValue: 32768)
    }

    /// An operator that continues when one of its sources has ended.
    enum Nesting: CaseIterable {
        case merge, flatMap, concat, `catch`
    }

    struct Form {
        let subscribe: (Probe) -> any Disposable
        /// Subscribes to an operator whose source is the form. Nil if the form is not a sequence.
        private(set) var nested: (Probe, Nesting) -> (any Disposable)? = { _, _ in nil }

        init(_ observed: some Observed) {
            subscribe = { probe in observed.subscribe(probe) }
            nested = { probe, nesting in observed.nested(probe, nesting) }
        }

        init(_ subscribe: @escaping (Probe) -> any Disposable) {
            self.subscribe = subscribe
        }

        /// A connectable source, connected after its first observer has subscribed.
        init<Output>(connecting observable: ConnectableObservable<Output>) {
            subscribe = { probe in
                let subscription = observable.subscribe { probe.on($0) }
                return Disposables.create(subscription, observable.connect())
            }
        }
    }

    /// The form as declared, with its labels: `static merge(_:)`, `take(_:)`, `PublishSubject`.
    let name: String
    /// Distinguishes rows of the same form.
    let note: String
    let traits: Traits
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

/// A row under test: its rig, its observer and its subscription.
///
/// When freed, disposes of the subscription and runs the remaining work. An object still alive afterwards is a leak.
final class Trial: @unchecked Sendable {  // immutable
    let rig: Rig
    let probe = Probe()
    /// The form, for further subscriptions; nil if the check tests releases.
    let form: Row.Form?
    let subscription: any Disposable

    /// Builds the row's form and subscribes to it. If `nesting` is given, subscribes to this operator, whose source is
    /// the form. If `keepsForm` is true, the observable outlives the subscription. `prepare` sets the callbacks of the
    /// rig and the probe.
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
