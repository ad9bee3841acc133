/// Whether the element that ends a `take(while:)` or a `take(until:)` is sent.
public enum TakeBehavior {
    /// The element is sent.
    case inclusive

    /// The element is not sent.
    case exclusive
}
