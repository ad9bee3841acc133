/// The switch of the three fast paths: a known element instead of a subscription (``Scalar``), one stage for
/// consecutive maps and filters (``MapFilterProducer``), and one object for a closure on a subject
/// (``DirectSubjectSubscription``).
///
/// The fast paths change no event and no order. ``Resources`` counts fewer objects. A build with `RX_PORTABLE=1` in the
/// environment disables the fast paths, so that tests can compare the results.
@usableFromInline
enum FastPaths {
    @inlinable
    @inline(__always)
    static var areUsed: Bool {
        #if RX_PORTABLE
            false
        #else
            true
        #endif
    }
}
