public import CRxCore

/// An atomic word and a short lock in the body of an object: its root class's first stored property, so that both have
/// an address.
///
/// Reached through that address alone, never through the property: a formal access would claim the words for one
/// thread.
@usableFromInline
struct FlagAndLock {
    @usableFromInline
    var flag = crx_flag()
    @usableFromInline
    var lock = crx_lock()

    @inlinable
    init() {}

    /// The word of an object whose root class starts with a `FlagAndLock` or a `crx_flag`.
    @inlinable
    static func flag(of object: AnyObject) -> UnsafeMutablePointer<crx_flag> {
        _getUnsafePointerToStoredProperties(object).assumingMemoryBound(to: crx_flag.self)
    }

    /// The lock of an object whose root class starts with a `FlagAndLock`.
    @inlinable
    static func lock(of object: AnyObject) -> UnsafeMutablePointer<crx_lock> {
        (_getUnsafePointerToStoredProperties(object) + MemoryLayout<crx_flag>.stride).assumingMemoryBound(
            to: crx_lock.self)
    }
}
