#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A data source that knows the model behind each of its rows.
public protocol SectionedViewDataSourceType {
    /// The model of the row at `indexPath`.
    ///
    /// - Throws: if there is none.
    func model(at indexPath: IndexPath) throws -> Any
}
