extension ObservableType {
    /// The results of a loop: `initialState`, then the results of `iterate`, while `condition` holds.
    ///
    ///     generate(initialState: 0, condition: { $0 < 3 }, iterate: { $0 + 1 }): --0-1-2-|   an action every 2 columns
    ///
    /// ![A loop as a sequence](marble-generate)
    ///
    /// [Pausing](doc:BoundedMemory): the loop stops before its next element.
    ///
    /// - Parameters:
    ///   - initialState: the first element, if it satisfies `condition`.
    ///   - condition: called with each element before it is sent. If it returns false, the sequence completes. If it
    ///     throws, the sequence fails.
    ///   - scheduler: runs the loop, as in ``from(_:scheduler:)-(Sequence,_)``.
    ///   - iterate: computes the next element. If it throws, the sequence fails.
    ///
    /// ## See Also
    ///
    /// - [create on reactivex.io](https://reactivex.io/documentation/operators/create.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public static func generate(
        initialState: Element, condition: @escaping @Sendable (Element) throws -> Bool,
        scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance,
        iterate: @escaping @Sendable (Element) throws -> Element
    ) -> Observable<Element> {
        Generate(initialState, condition, scheduler, iterate)
    }
}

@usableFromInline
final class Generate<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let initialState: Element
    @usableFromInline
    let condition: (Element) throws -> Bool
    @usableFromInline
    let scheduler: any ImmediateSchedulerType
    @usableFromInline
    let iterate: (Element) throws -> Element

    @inlinable
    init(
        _ initialState: Element, _ condition: @escaping (Element) throws -> Bool,
        _ scheduler: any ImmediateSchedulerType,
        _ iterate: @escaping (Element) throws -> Element
    ) {
        self.initialState = initialState
        self.condition = condition
        self.scheduler = scheduler
        self.iterate = iterate
        super.init { base, context in
            let me = unsafeDowncast(base, to: Generate<Element>.self)
            GenerateLoop(context.takeTop(for: Element.self), me).start(on: me.scheduler, context)
            return nil
        }
    }
}

@usableFromInline
final class GenerateLoop<Element>: ColdLoop<Element>, @unchecked Sendable {  // see ColdLoop
    @usableFromInline
    let condition: (Element) throws -> Bool
    @usableFromInline
    let iterate: (Element) throws -> Element
    @usableFromInline
    var state: Element
    @usableFromInline
    var isFirst = true

    @inlinable
    init(_ sink: Sink<Element>, _ producer: Generate<Element>) {
        condition = producer.condition
        iterate = producer.iterate
        state = producer.initialState
        super.init(sink) { base, mayGoOn in
            let me = unsafeDowncast(base, to: GenerateLoop<Element>.self)
            let sink = me.sink
            repeat {
                guard sink.isLive else { return false }
                do {
                    guard let element = try me.following() else { return false }
                    sink.push(sink, element)
                } catch {
                    sink.end(error)
                    return false
                }
            } while mayGoOn && !Trampoline.hasWaiting
            return true
        }
    }

    @inlinable
    @inline(__always)
    func following() throws -> Element? {
        if isFirst {
            isFirst = false
        } else {
            state = try iterate(state)
            guard sink.isLive else { return nil }
        }
        if try condition(state) { return state }
        sink.end(nil)
        return nil
    }
}
