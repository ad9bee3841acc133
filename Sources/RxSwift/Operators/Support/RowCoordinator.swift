/// The coordinator of combineLatest and zip. It has a row with one cell for each source.
///
/// Cells are separate from the sinks that fill them. The closure that makes a result from a row retains every cell. A
/// sink retains the closure, its own cell and the coordinator. A sink is retained only by its source. So there is no
/// reference cycle, and the value of a source that has ended stays available:
///
///     source's cell ──► inner observer ──► result ──► every cell
///                           ├───────► its own cell
///                           └───────► coordinator ──► chain below
@usableFromInline
final class RowCoordinator<Output>: Coordinator, TypedCoordinator {
    /// How the sources were passed. The form decides when an ended source is disposed of, and when a zip checks whether
    /// it has ended.
    @usableFromInline
    enum Form {
        case arguments, collection
    }

    @usableFromInline
    let form: Form
    /// The number of cells without a value. Only the thread that owns the gate accesses it and `running`, except before
    /// the first source is subscribed to.
    @usableFromInline
    @exclusivity(unchecked)
    var missing: Int
    /// The number of sources that have not ended.
    @usableFromInline
    var running: Int

    @inlinable
    init(_ context: inout SubscribeContext, _ form: Form, count: Int) {
        self.form = form
        missing = count
        running = count
        super.init(&context)
    }

    /// Handles the end of a source. Called only by the thread that owns the gate.
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
