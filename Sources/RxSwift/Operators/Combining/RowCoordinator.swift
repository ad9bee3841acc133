/// Where the sources of combineLatest and zip meet: a row of cells, one for each source.
///
/// Cells are apart from the sinks that fill them. The closure that makes a result of a row holds every cell; a sink
/// holds the closure, its own cell and the coordinator; nothing holds a sink but its source. So no cycle arises, and
/// the value of a source that has ended stays:
///
///     source's cell ──► inner sink ──► result ──► every cell
///                           ├───────► its own cell
///                           └───────► coordinator ──► chain below
@usableFromInline
final class RowCoordinator<Output>: Coordinator, TypedCoordinator {
    /// How the sources were given. The forms differ in when a source that ends is disposed, and in when a zip looks for
    /// its end.
    @usableFromInline
    enum Form {
        case arguments, collection
    }

    @usableFromInline
    let form: Form
    /// Cells without a value. The gate's owner's, but before the first source is subscribed; `running` likewise.
    @usableFromInline
    @exclusivity(unchecked)
    var missing: Int
    /// Sources that have not ended.
    @usableFromInline
    var running: Int

    @inlinable
    init(_ assembly: inout Assembly, _ form: Form, count: Int) {
        self.form = form
        missing = count
        running = count
        super.init(&assembly)
    }

    /// Handles the end of a source. Only the gate's owner calls it.
    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerDisposer) {
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
