/// Whether the element that ends a `take(while:)` or a `take(until:)` is sent.
public enum TakeBehavior {
    /// The element is sent, then the sequence completes.
    case inclusive

    /// The element is not sent, and the sequence completes.
    case exclusive
}
