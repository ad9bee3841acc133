/// The coordinator of combineLatest and zip. Its row has one cell for each source, and a *result closure* makes a
/// result from a row. The arrows are strong references:
///
///     source ──► inner observer ──► result closure ──► every cell
///                      ├──────────► its own cell
///                      └──────────► coordinator ──► chain below
///
/// So there is no cycle, and the value of an ended source is still available.
@usableFromInline
final class RowCoordinator<Output>: Coordinator, TypedCoordinator {
    /// Whether the sources were passed as arguments or as a collection. The two forms differ in when an ended source is
    /// disposed of, and in whether `zip` may complete at an element that cannot be combined.
    @usableFromInline
    enum Form {
        case arguments, collection
    }

    @usableFromInline
    let form: Form
    /// The number of cells without a value. Once a source has been subscribed to, only the gate's owner uses `missing`
    /// and `running`.
    @usableFromInline
    @exclusivity(unchecked)
    var missing: Int
    @usableFromInline
    var running: Int

    @inlinable
    init(_ context: inout SubscribeContext, _ form: Form, count: Int) {
        self.form = form
        missing = count
        running = count
        super.init(&context)
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerLifetime) {
        if form == .arguments { innerChains.dispose(source) }
        if let error { return end(error) }
        running -= 1
        if running == 0 {
            end(nil)
        } else if form == .collection {
            innerChains.dispose(source)
        }
    }
}
