public import CRxCore

/// What can be told of the references to an object without a call, and cheaper counting where nobody else has any.
@usableFromInline
enum ReferenceCounts {
    /// Whether there is one reference to an object, weak and unowned ones included, of which
    /// `isKnownUniquelyReferenced` does not know. False as well where the thread can put nothing aside.
    @inlinable
    @inline(__always)
    static func isSingle<Object: AnyObject>(_ object: Unmanaged<Object>) -> Bool {
        let (object, single) = (object.toOpaque(), crx_thread_spare_single())
        return of(object) == single || single == 0 && isSingleForNewThread(object)
    }

    /// Retains an object that no other thread knows yet.
    @inline(__always)
    static func retainUnshared<Object: AnyObject>(_ object: Object) -> Unmanaged<Object> {
        let object = Unmanaged.passUnretained(object)
        _ = swift_nonatomic_retain(object.toOpaque())
        return object
    }

    /// Releases an object to which the caller has the only reference, as ``isSingle(_:)`` has said.
    @inline(__always)
    static func releaseSingle<Object: AnyObject>(_ object: Unmanaged<Object>) {
        swift_nonatomic_release(object.toOpaque())
    }

    /// How many references there are to an object, of all kinds, at one moment: the word that Swift has behind the
    /// pointer to the type, only compared.
    @inlinable
    @inline(__always)
    static func of(_ object: UnsafeMutableRawPointer) -> UInt {
        crx_flag_load_acquire((object + MemoryLayout<UInt>.stride).assumingMemoryBound(to: crx_flag.self))
    }

    /// What ``isSingle(_:)`` says on a thread that has not asked yet.
    @usableFromInline
    @inline(never)
    static func isSingleForNewThread(_ object: UnsafeMutableRawPointer) -> Bool {
        let mark = Unmanaged.passRetained(makeMark())
        defer { mark.release() }
        let single = of(mark.toOpaque())
        return crx_thread_watch_spare(single) { Unmanaged<ObservableBase>.fromOpaque($0).release() }
            && of(object) == single
    }

    // Out of line, so that it is made on the heap.
    @inline(never)
    private static func makeMark() -> AnyObject { Mark() }

    private final class Mark {}
}
