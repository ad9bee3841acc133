/// All elements of a sequence, and its end.
@frozen
public enum MaterializedSequenceResult<T> {
    /// The sequence completed after these elements.
    case completed(elements: [T])

    /// The sequence failed or timed out after these elements.
    case failed(elements: [T], error: any Error)
}
