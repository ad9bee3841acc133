import RxSwift

/// Every form of an operator, every subject and every source of the package. `TableTests` names missing rows.
enum Table {
    static let rows: [Row] =
        creatingRows + transformingRows + filteringRows + combiningRows + arityRows + errorRows + sharingRows
        + schedulingRows
        + timingRows + utilityRows + subjectRows + subscribingRows + traitConversionRows + singleRows + maybeRows
        + completableRows
        + primitiveSequenceRows + traitArityRows + infallibleRows + sharingFormRows + sharedSequenceRows
        + sharedSequenceArityRows + extRows + operatorRows + retriesAndEndsRows
        + permitsRows
        + controlRows + loopRows + workRows + foundationRows + deprecatedRows

    private static let operatorRows: [Row] =
        questionRows + foldingRows + operatorErrorRows + operatorTimeRows
        + batchRows + innerSequenceRows + delayedErrorRows + connectionRows + offerRows

    static func rows(with traits: Row.Traits = [], without others: Row.Traits = []) -> [Row] {
        rows.filter { $0.traits.isSuperset(of: traits) && $0.traits.isDisjoint(with: others) }
    }

    /// A call through a protocol avoids the deprecation warnings.
    private static var deprecatedRows: [Row] { (DeprecatedRows.self as any RowSource.Type).rows }
}

protocol RowSource {
    static var rows: [Row] { get }
}
