public import CRxCore

/// A map or a filter from elements to elements of one type.
///
/// Not copyable, so that reading one never counts its closure.
@usableFromInline
enum Step<Element>: ~Copyable {
    case none
    case map(Map<Element, Element>)
    case filter(Filter<Element>)

    @inlinable
    @inline(__always)
    var isNone: Bool {
        switch self {
        case .none: true
        default: false
        }
    }

    @inlinable
    func copy() -> Step {
        switch self {
        case .none: .none
        case .map(let map): .map(map)
        case .filter(let filter): .filter(filter)
        }
    }

    fileprivate var name: OperatorName? {
        switch self {
        case .none: nil
        case .map: .known("map")
        case .filter: .known("filter")
        }
    }
}

/// A sequence with steps in a row, which one stage runs.
///
/// Guards: `first`, `second`, `third` and `list` change while there is one reference to this, by whom has it; never
/// once anybody else may know it. The list may be known to stages, too, and then does not change.
@usableFromInline
final class StepsProducer<Element>: Observable<Element>, @unchecked Sendable {  // because of the guard above
    @usableFromInline
    let source: Observable<Element>

    // Up to three, each in its place: most rows are short, and each of their stages then holds what it reads.
    @usableFromInline
    @exclusivity(unchecked)
    var first: Step<Element>
    @usableFromInline
    @exclusivity(unchecked)
    var second: Step<Element> = .none
    @usableFromInline
    @exclusivity(unchecked)
    var third: Step<Element> = .none

    /// All of them, once there are more than three.
    @usableFromInline
    @exclusivity(unchecked)
    var list: StepList?

    @inlinable
    init(_ source: Observable<Element>, _ first: consuming Step<Element>) {
        self.source = source
        self.first = first
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: StepsProducer<Element>.self)
            let down = assembly.takeTop(for: Element.self)
            if let list = me.list {
                assembly.top = LongStepsSink(down, list)
            } else if me.second.isNone {
                switch me.first {
                case .none: assembly.top = down
                case .map(let map): assembly.top = LinearSink(down, map)
                case .filter(let filter): assembly.top = LinearSink(down, filter: filter)
                }
            } else {
                assembly.top = StepsSink(down, me)
            }
            return .passUnretained(me.source)
        }
    }

    override var operators: [OperatorName] {
        var names = [first.name, second.name, third.name]
        if let list {
            for index in 0..<list.count { names.append(list.steps(of: Element.self)[index].name) }
        }
        return names.compactMap(\.self)
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
    static func append(
        _ step: consuming Step<Element>, to source: consuming Observable<Element>
    ) -> Observable<Element> {
        guard type(of: source) == StepsProducer<Element>.self else { return StepsProducer(source, step) }
        if !ReferenceCounts.isSingle(.passUnretained(source)) {
            let known = unsafeDowncast(source, to: StepsProducer<Element>.self)
            if known.isLong { return StepsProducer(source, step) }
            source = known.copy()
        }
        let producer = unsafeDowncast(consume source, to: StepsProducer<Element>.self)
        producer.place().initialize(to: step)
        return producer
    }

    /// Whether one step more is put behind it, rather than into a copy: a row that is built step by step, each of which
    /// somebody knows, would be copied as often as it has steps.
    @usableFromInline
    var isLong: Bool { (list?.count ?? 0) >= 64 }

    @inlinable
    func copy() -> StepsProducer {
        let copy = StepsProducer(source, first.copy())
        copy.second = second.copy()
        copy.third = third.copy()
        copy.list = list
        return copy
    }

    /// Where one step more belongs. There is no step there yet, or one that is none.
    @inlinable
    @inline(__always)
    func place() -> UnsafeMutablePointer<Step<Element>> {
        if list == nil {
            if second.isNone { return withUnsafeMutablePointer(to: &second) { $0 } }
            if third.isNone { return withUnsafeMutablePointer(to: &third) { $0 } }
        }
        // No list is not one that is known uniquely.
        if !isKnownUniquelyReferenced(&list) || list.unsafelyUnwrapped.isFull {
            withUnsafeMutablePointer(to: &first) { first in
                withUnsafeMutablePointer(to: &second) { second in
                    withUnsafeMutablePointer(to: &third) { StepList.makeRoom(in: &list, taking: first, second, $0) }
                }
            }
        }
        return list.unsafelyUnwrapped.place(for: Element.self)
    }
}

/// The steps of a long row, in one block of memory, whatever their elements: a closure of a generic type looks the same
/// for each, so that this is compiled once.
///
/// Guards: changed only while there is one reference to it, by whom has it.
@usableFromInline
final class StepList: ManagedBuffer<StepCount, Step<Void>> {
    private static func make(capacity: Int) -> StepList {
        let made = create(minimumCapacity: capacity) { _ in StepCount(count: 0, capacity: capacity) }
        return unsafeDowncast(made, to: StepList.self)
    }

    deinit {
        withUnsafeMutablePointers { header, steps in _ = steps.deinitialize(count: header.pointee.count) }
    }

    @inlinable
    @inline(__always)
    var count: Int { withUnsafeMutablePointerToHeader { $0.pointee.count } }

    /// The steps, as those of elements of a type.
    @inlinable
    @inline(__always)
    func steps<Element>(of _: Element.Type) -> UnsafePointer<Step<Element>> {
        let steps = UnsafeRawPointer(withUnsafeMutablePointerToElements { $0 })
        return steps.assumingMemoryBound(to: Step<Element>.self)
    }

    /// Puts the steps into a list that has room for one more, and that nobody else has. Where there is no list yet,
    /// those are the three, which are none from then on.
    @usableFromInline
    static func makeRoom(
        in list: inout StepList?, taking first: UnsafeMutableRawPointer, _ second: UnsafeMutableRawPointer,
        _ third: UnsafeMutableRawPointer
    ) {
        if list == nil {
            list = make(taking: first, second, third)
        } else if isKnownUniquelyReferenced(&list) {
            list = list.unsafelyUnwrapped.moved()
        } else {
            list = list.unsafelyUnwrapped.copy()
        }
    }

    /// One of three steps, which are none from then on.
    private static func make(
        taking first: UnsafeMutableRawPointer, _ second: UnsafeMutableRawPointer, _ third: UnsafeMutableRawPointer
    ) -> StepList {
        let list = make(capacity: 8)
        list.withUnsafeMutablePointers { header, steps in
            header.pointee.count = 3
            (steps + 0).initialize(to: exchange(&first.assumingMemoryBound(to: Step<Void>.self).pointee, with: .none))
            (steps + 1).initialize(to: exchange(&second.assumingMemoryBound(to: Step<Void>.self).pointee, with: .none))
            (steps + 2).initialize(to: exchange(&third.assumingMemoryBound(to: Step<Void>.self).pointee, with: .none))
        }
        return list
    }

    @inlinable
    @inline(__always)
    var isFull: Bool { withUnsafeMutablePointerToHeader { $0.pointee.count == $0.pointee.capacity } }

    /// Where one step more belongs, in a list that is not full.
    @inlinable
    @inline(__always)
    func place<Element>(for _: Element.Type) -> UnsafeMutablePointer<Step<Element>> {
        withUnsafeMutablePointers { header, steps in
            let place = UnsafeMutableRawPointer(steps + header.pointee.count)
            header.pointee.count &+= 1
            return place.assumingMemoryBound(to: Step<Element>.self)
        }
    }

    private func copy() -> StepList {
        let copy = Self.make(capacity: 2 * count)
        copy.withUnsafeMutablePointers { header, copies in
            header.pointee.count = count
            let steps = steps(of: Void.self)
            for index in 0..<count { (copies + index).initialize(to: steps[index].copy()) }
        }
        return copy
    }

    /// One twice as large that has taken the steps over.
    private func moved() -> StepList {
        let larger = Self.make(capacity: 2 * count)
        withUnsafeMutablePointers { header, steps in
            larger.withUnsafeMutablePointers { itsHeader, itsSteps in
                itsSteps.moveInitialize(from: steps, count: header.pointee.count)
                swap(&itsHeader.pointee.count, &header.pointee.count)
            }
        }
        return larger
    }
}

/// How many steps a list has, and has room for.
@usableFromInline
struct StepCount {
    @usableFromInline
    var count: Int
    @usableFromInline
    let capacity: Int
}

extension LinearSink {
    /// The stage of a filter by itself. It calls the predicate, and not the rule: that would copy the element's words
    /// once more (a struct of five: 284 instructions an event in place of 277, 4 % of the time).
    @inlinable
    convenience init<Element>(_ down: Sink<Element>, filter: Filter<Element>)
    where Operator == Filter<Element>, State == Void {
        self.init(down, filter) { base, element in
            let me = unsafeDowncast(base, to: LinearSink<Filter<Element>, Void>.self)
            guard me.isLive else { return }
            do {
                if try me.op.predicate(element) { me.deliver(element) }
            } catch {
                me.fail(error)
            }
        }
    }
}

/// The stage of two or three steps.
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
        first = producer.first.copy()
        second = producer.second.copy()
        third = producer.third.copy()
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: StepsSink<Element>.self)
            var element = element
            guard me.passes(&element, me.first, me.chain), me.passes(&element, me.second, me.chain) else { return }
            guard me.third.isNone || me.passes(&element, me.third, me.chain) else { return }
            me.deliver(element)
        }
    }
}

/// The stage of more steps than three, which is a ``StepsSink`` otherwise. It shares them with the sequence.
@usableFromInline
final class LongStepsSink<Element>: Stage<Element, Element> {
    @usableFromInline
    let steps: StepList

    @inlinable
    init(_ down: Sink<Element>, _ steps: StepList) {
        self.steps = steps
        if WordSteps.isWord(Element.self) {
            super.init(down: down, push: WordSteps.push())
        } else {
            super.init(down: down) { base, element in
                let me = unsafeDowncast(base, to: LongStepsSink<Element>.self)
                var element = element
                let steps = me.steps.steps(of: Element.self)
                for index in 0..<me.steps.count {
                    guard me.passes(&element, steps[index], me.chain) else { return }
                }
                me.deliver(element)
            }
        }
    }
}

/// How a ``LongStepsSink`` takes an element of one word that is bits alone: compiled once for all types of such
/// elements.
///
/// Sixteen times it calls a step, each from a place of its own: a processor predicts where a call goes by where it
/// stands, and one that goes to another closure each time is predicted later. (Twelve maps and filters, on an EPYC of
/// the third generation: 50 ns an event where there is one place, 39 here.) It relies on the fields of a
/// ``LongStepsSink``, which are the same for elements of any type.
@usableFromInline
enum WordSteps {
    @inlinable
    @inline(__always)
    static func isWord<Element>(_: Element.Type) -> Bool {
        _isPOD(Element.self) && MemoryLayout<Element>.size == MemoryLayout<UInt>.size
            && MemoryLayout<Element>.alignment == MemoryLayout<UInt>.alignment
    }

    @inlinable
    @inline(__always)
    static func push<Element>() -> Sink<Element>.Push {
        unsafeBitCast(ofWords(), to: Pushing<Element>.self).push
    }

    /// The push of a sink as a generic type keeps it: it gets the address of the element, whatever that is.
    @usableFromInline
    struct Pushing<Element> {
        @usableFromInline
        let push: Sink<Element>.Push
    }

    @usableFromInline
    static func ofWords() -> Pushing<UInt> {
        Pushing { base, element in
            // Unchecked, because it is the stage of another type, which has the same fields.
            let me = _unsafeUncheckedDowncast(base, to: LongStepsSink<UInt>.self)
            var row = Row(element: element, next: me.steps.steps(of: UInt.self), left: me.steps.count, chain: me.chain)
            while row.takeFour(me), row.takeFour(me), row.takeFour(me), row.takeFour(me) {}
        }
    }

    /// An element, and the steps that are left for it.
    private struct Row {
        var element: UInt
        var next: UnsafePointer<Step<UInt>>
        var left: Int
        let chain: UnsafeMutablePointer<crx_chain>

        @inline(__always)
        mutating func takeFour(_ stage: LongStepsSink<UInt>) -> Bool {
            takeOne(stage) && takeOne(stage) && takeOne(stage) && takeOne(stage)
        }

        /// Takes the element through a step, or hands it on where none is left; false where that was all.
        @inline(__always)
        private mutating func takeOne(_ stage: LongStepsSink<UInt>) -> Bool {
            if left == 0 {
                stage.deliver(element)
                return false
            }
            guard stage.passes(&element, next.pointee, chain) else { return false }
            next += 1
            left &-= 1
            return true
        }
    }
}

extension Stage where Input == Output {
    /// Takes an element through a step; false where that is its end.
    @inlinable
    @inline(__always)
    final func passes(
        _ element: inout Input, _ step: borrowing Step<Input>, _ chain: UnsafeMutablePointer<crx_chain>
    ) -> Bool {
        guard crx_state_is_live(chain) else { return false }
        switch step {
        case .none: return true
        case .map(let map):
            do { element = try map.transform(element) } catch {
                failMap(error)
                return false
            }
            return true
        case .filter(let filter):
            do { return try filter.predicate(element) } catch {
                failFilter(error)
                return false
            }
        }
    }

    @usableFromInline
    final func failMap(_ error: consuming any Error) {
        Thrower.named(Map<Input, Input>.self, error) { end(error) }
    }

    @usableFromInline
    final func failFilter(_ error: consuming any Error) {
        Thrower.named(Filter<Input>.self, error) { end(error) }
    }
}
