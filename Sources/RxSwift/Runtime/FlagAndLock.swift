public import CRxCore

/// An atomic word and a lock that is held only briefly. Must be the first stored property of an object's root class.
///
/// The word and the lock are accessed only through their addresses: Swift would treat an access to a stored property as
/// exclusive to one thread.
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
