/// Enables or disables the three fast paths:
///
/// - ``Scalar`` stores a known element, which an operator can read without a subscription.
/// - ``MapFilterProducer`` makes one stage for consecutive maps and filters.
/// - ``DirectSubjectSubscription`` subscribes a closure to a subject with one object.
///
/// The fast paths change no event and no order, but ``Resources`` counts fewer objects. A build with `RX_PORTABLE=1` in
/// the environment disables them, so that tests can run without them.
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
