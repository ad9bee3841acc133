/// Keeps what feeds a coordinator until the chain below is disposed, and so is every subscription to what the
/// coordinator has handed out.
///
/// window and groupBy hand sequences out that may be observed after the subscription to the operator itself has ended.
@usableFromInline
final class RefCountedUpstream: Upstream {
    @usableFromInline
    let innerChains: InnerChains
    private let count: RefCountDisposable
    /// What a subscription to what is handed out retains: only a window has a timer.
    private let place: RefCountInnerDisposable.Type

    /// - Parameter timer: disposed after the inner sinks.
    @usableFromInline
    init(timer: (any Disposable)? = nil) {
        // Both have guards of their own, and any thread may dispose of them.
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

    /// A sequence to hand out.
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

/// A sequence that keeps its coordinator fed while it is observed.
// @unchecked Sendable because all of it never changes and guards itself.
private final class RefCountedSource<Element>: Observable<Element>, @unchecked Sendable {
    let source: Observable<Element>
    let count: RefCountDisposable
    let place: RefCountInnerDisposable.Type

    init(_ source: Observable<Element>, _ count: RefCountDisposable, _ place: RefCountInnerDisposable.Type) {
        self.source = source
        self.count = count
        self.place = place
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: RefCountedSource<Element>.self)
            assembly.adopt(me.count.retain(as: me.place))
            return .passUnretained(me.source)
        }
    }

    override var isTrampolined: Bool { false }
}
