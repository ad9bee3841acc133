/// Whether the element that ends a `take(while:)` or a `take(until:)` is sent.
public enum TakeBehavior {
    /// The element is sent, then the sequence completes.
    case inclusive

    /// The sequence completes without it.
    case exclusive
}
