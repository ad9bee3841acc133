/// The switch of the three fast paths. ``Scalar``: a known element instead of a subscription. ``MapFilterProducer``:
/// one stage for consecutive maps and filters. ``DirectSubjectSubscription``: one object for a closure on a subject.
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
