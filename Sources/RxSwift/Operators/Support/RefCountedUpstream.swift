/// Keeps the sources of a coordinator subscribed while the result or a sent sequence (a window or a group) has a
/// subscription.
@usableFromInline
final class RefCountedUpstream: Upstream {
    @usableFromInline
    let innerChains: InnerChains
    private let count: RefCountDisposable
    /// The class of the disposables that count the subscriptions to sent sequences. Error messages take the operator's
    /// name from this class.
    private let place: RefCountInnerDisposable.Type

    /// - Parameter timer: disposed of after the inner observers.
    @usableFromInline
    init(timer: (any Disposable)? = nil) {
        // Any thread may dispose of `innerChains` and `timer`.
        nonisolated(unsafe) let innerChains = InnerChains()
        nonisolated(unsafe) let timer = timer
        self.innerChains = innerChains
        place = timer == nil ? GroupPlace.self : WindowPlace.self
        count = RefCountDisposable(
            disposable: Disposables.create {
                innerChains.dispose(key: nil)
                timer?.dispose()
            })
    }

    @usableFromInline
    func dispose(key _: UnsafeMutableRawPointer?) {
        count.dispose()
    }

    @usableFromInline
    func counted<Element>(_ source: Observable<Element>) -> Observable<Element> {
        RefCountedSource(source, count, place)
    }
}

private final class GroupPlace: RefCountInnerDisposable, @unchecked Sendable {  // as its superclass
    override var sourceName: String? { "groupBy" }
}

private final class WindowPlace: RefCountInnerDisposable, @unchecked Sendable {  // as its superclass
    override var sourceName: String? { "window" }
}

// @unchecked Sendable because all of its properties are immutable and are thread-safe themselves.
private final class RefCountedSource<Element>: Observable<Element>, @unchecked Sendable {
    let source: Observable<Element>
    let count: RefCountDisposable
    let place: RefCountInnerDisposable.Type

    init(_ source: Observable<Element>, _ count: RefCountDisposable, _ place: RefCountInnerDisposable.Type) {
        self.source = source
        self.count = count
        self.place = place
        super.init { base, context in
            let me = unsafeDowncast(base, to: RefCountedSource<Element>.self)
            context.adopt(me.count.retain(as: me.place))
            return me.source
        }
    }

    override var isTrampolined: Bool { false }
}
