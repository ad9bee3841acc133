/// A map or a filter from elements to elements of one type.
@usableFromInline
enum Step<Element> {
    case none
    case map(Map<Element, Element>)
    case filter(Filter<Element>)

    @inlinable
    @inline(__always)
    var isNone: Bool { if case .none = self { true } else { false } }
}

/// A sequence with up to three steps in a row, which one stage runs.
///
/// Guards: `second` and `third` change while there is one reference to this, by whom has it; never once anybody else
/// may know it.
@usableFromInline
final class StepsProducer<Element>: Observable<Element>, @unchecked Sendable {  // because of the guard above
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let first: Step<Element>
    @usableFromInline
    @exclusivity(unchecked)
    var second: Step<Element>
    @usableFromInline
    @exclusivity(unchecked)
    var third: Step<Element>

    @inlinable
    init(_ source: Observable<Element>, _ first: Step<Element>, _ second: Step<Element>, _ third: Step<Element>) {
        self.source = source
        self.first = first
        self.second = second
        self.third = third
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: StepsProducer<Element>.self)
            let down = assembly.takeTop(for: Element.self)
            if me.second.isNone {
                switch me.first {
                case .none: assembly.top = down
                case .map(let map): assembly.top = LinearSink(down, map)
                case .filter(let filter): assembly.top = LinearSink(down, filter)
                }
            } else {
                assembly.top = StepsSink(down, me)
            }
            return .passUnretained(me.source)
        }
    }

    @usableFromInline
    override var takesStep: Bool { third.isNone }

    override var operators: [OperatorName] {
        [first, second, third].compactMap { step in
            switch step {
            case .none: nil
            case .map: .known("map")
            case .filter: .known("filter")
            }
        }
    }

    /// `source` with a map more, which is a step where it keeps the type.
    @inlinable
    @inline(__always)
    static func append<Result>(
        _ map: Map<Element, Result>, to source: consuming Observable<Element>
    ) -> Observable<Result> {
        if Result.self != Element.self { return LinearProducer(source, map) }
        let step = unsafeBitCast(map, to: Map<Element, Element>.self)
        return unsafeDowncast(append(.map(step), to: source), to: Observable<Result>.self)
    }

    /// `source` with one step more: itself, if nobody but the caller knows it.
    @inlinable
    static func append(_ step: Step<Element>, to source: consuming Observable<Element>) -> Observable<Element> {
        guard source.takesStep else { return StepsProducer(source, step, .none, .none) }
        if isKnownUniquelyReferenced(&source) && _getWeakRetainCount(source) == 1 && _getUnownedRetainCount(source) == 1
        {
            let producer = Unmanaged.passUnretained(unsafeDowncast(source, to: StepsProducer<Element>.self))
            producer._withUnsafeGuaranteedRef {
                if $0.second.isNone { $0.second = step } else { $0.third = step }
            }
            return source
        }
        let known = unsafeDowncast(source, to: StepsProducer<Element>.self)
        if known.second.isNone { return StepsProducer(known.source, known.first, step, .none) }
        return StepsProducer(known.source, known.first, known.second, step)
    }
}

/// The stage of two and more steps.
///
/// Nobody can tell it from a stage for each of them. Before each closure it is asked whether the subscription lasts;
/// what a closure throws is the error of its own operator; and what a closure makes the source send passes all of them
/// before the element that is on its way goes on.
@usableFromInline
final class StepsSink<Element>: Stage<Element, Element> {
    // One by one, so that an event reads what it needs.
    @usableFromInline
    let first: Step<Element>
    @usableFromInline
    let second: Step<Element>
    @usableFromInline
    let third: Step<Element>

    @inlinable
    init(_ down: Sink<Element>, _ producer: StepsProducer<Element>) {
        first = producer.first
        second = producer.second
        third = producer.third
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: StepsSink<Element>.self)
            var element = element
            guard me.passes(&element, me.first), me.passes(&element, me.second) else { return }
            guard me.third.isNone || me.passes(&element, me.third) else { return }
            me.deliver(element)
        }
    }

    /// Takes an element through a step; false where that is its end.
    @inlinable
    @inline(__always)
    func passes(_ element: inout Element, _ step: Step<Element>) -> Bool {
        guard isLive else { return false }
        switch step {
        case .none: return true
        case .map(let map):
            do { element = try map.transform(element) } catch { return failMap(error) }
            return true
        case .filter(let filter):
            do { return try filter.predicate(element) } catch { return failFilter(error) }
        }
    }

    @usableFromInline
    func failMap(_ error: consuming any Error) -> Bool {
        Thrower.named(Map<Element, Element>.self) { end(error) }
        return false
    }

    @usableFromInline
    func failFilter(_ error: consuming any Error) -> Bool {
        Thrower.named(Filter<Element>.self) { end(error) }
        return false
    }
}
