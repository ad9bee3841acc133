public import CRxCore

/// What can be told of the references to an object without a call.
@usableFromInline
enum ReferenceCounts {
    /// Whether there is one reference to an observable, weak and unowned ones included, of which
    /// `isKnownUniquelyReferenced` does not know. False as well where the thread can put nothing aside.
    @inlinable
    @inline(__always)
    static func isSingle(_ observable: Unmanaged<ObservableBase>) -> Bool {
        let single = crx_thread_spare_single()
        return of(observable.toOpaque()) == (single != 0 ? single : singleOfNewThread())
    }

    /// How many references there are to an object, of all kinds, at one moment: the word that Swift has behind the
    /// pointer to the type, only compared.
    @inlinable
    @inline(__always)
    static func of(_ object: UnsafeMutableRawPointer) -> UInt {
        crx_flag_load_acquire((object + MemoryLayout<UInt>.stride).assumingMemoryBound(to: crx_flag.self))
    }

    /// The counts of an object with one reference, for a thread that has not asked yet; 0 where it can put nothing
    /// aside.
    @usableFromInline
    @inline(never)
    static func singleOfNewThread() -> UInt {
        let object = Unmanaged.passRetained(makeObject())
        defer { object.release() }
        let single = of(object.toOpaque())
        return crx_thread_watch_spare(single) { Unmanaged<ObservableBase>.fromOpaque($0).release() } ? single : 0
    }

    // Out of line, so that it is made on the heap.
    @inline(never)
    private static func makeObject() -> AnyObject { Mark() }

    private final class Mark {}
}
