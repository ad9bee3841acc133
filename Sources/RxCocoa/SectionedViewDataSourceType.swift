#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A data source that can return the model of each of its rows.
public protocol SectionedViewDataSourceType {
    /// The model of the row at `indexPath`.
    ///
    /// - Throws: an error if there is no such row.
    func model(at indexPath: IndexPath) throws -> Any
}
