/// Keeps what feeds a junction until the chain below is disposed, and so is every subscription to what the junction has
/// handed out.
///
/// window and groupBy hand sequences out that may be observed after the subscription to the operator itself has ended.
@usableFromInline
final class RefCountedUpstream: Upstream {
    @usableFromInline
    let children: Children
    private let count: RefCountDisposable

    /// - Parameter timer: disposed after the children.
    @usableFromInline
    init(timer: (any Disposable)? = nil) {
        let children = Children()
        self.children = children
        count = RefCountDisposable(
            disposable: Disposables.create {
                children.dispose(key: nil)
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

/// A sequence that keeps its junction fed while it is observed.
private final class RefCountedSource<Element>: Observable<Element>, @unchecked Sendable {
    // @unchecked Sendable because both never change and guard themselves.
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
