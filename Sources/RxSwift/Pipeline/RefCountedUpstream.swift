/// Keeps what feeds a coordinator until the chain below is disposed, and so is every subscription to what the
/// coordinator has handed out.
///
/// window and groupBy hand sequences out that may be observed after the subscription to the operator itself has ended.
@usableFromInline
final class RefCountedUpstream: Upstream {
    @usableFromInline
    let innerChains: InnerChains
    private let count: RefCountDisposable

    /// - Parameter timer: disposed after the inner sinks.
    @usableFromInline
    init(timer: (any Disposable)? = nil) {
        let innerChains = InnerChains()
        self.innerChains = innerChains
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
        RefCountedSource(source, count)
    }
}

/// A sequence that keeps its coordinator fed while it is observed.
// @unchecked Sendable because both never change and guard themselves.
private final class RefCountedSource<Element>: Observable<Element>, @unchecked Sendable {
    let source: Observable<Element>
    let count: RefCountDisposable

    init(_ source: Observable<Element>, _ count: RefCountDisposable) {
        self.source = source
        self.count = count
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: RefCountedSource<Element>.self)
            assembly.adopt(me.count.retain())
            return .passUnretained(me.source)
        }
    }

    override var isTrampolined: Bool { false }
}
