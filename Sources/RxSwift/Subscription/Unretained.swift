public import CRxCore

/// A reference that does not retain its object. Each use states what retains the object.
@usableFromInline
struct Unretained<Object: AnyObject> {
    @usableFromInline
    let reference: Unmanaged<Object>

    @inlinable
    @inline(__always)
    init(_ object: Object) {
        reference = .passUnretained(object)
    }

    init(at address: UnsafeMutableRawPointer) {
        reference = .fromOpaque(address)
    }

    var address: UnsafeMutableRawPointer { reference.toOpaque() }

    @inlinable
    var object: Object { reference.takeUnretainedValue() }

    @inlinable
    @inline(__always)
    func use<Result>(_ body: (Object) -> Result) -> Result {
        reference._withUnsafeGuaranteedRef(body)
    }
}

extension Unretained where Object: SinkBase {
    @inlinable
    @inline(__always)
    func push<Element>(_ element: Element) {
        use {
            let sink = unsafeDowncast($0, to: Sink<Element>.self)
            sink.push(sink, element)
        }
    }

    @inlinable
    @inline(__always)
    func end(_ error: (any Error)?) {
        use { $0.end(error) }
    }

    @inlinable
    @inline(__always)
    var isLive: Bool { use { $0.isLive } }

    @inlinable
    @inline(__always)
    var chain: UnsafeMutablePointer<crx_chain> { use { $0.chain } }
}
