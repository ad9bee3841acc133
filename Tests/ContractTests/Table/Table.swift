import RxSwift

/// Every form of an operator, every subject and every source that the package has.
///
/// A form is missing here? `TableTests` fails and names it.
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

    /// The rows of RxOperators.
    private static let operatorRows: [Row] = questionRows + foldingRows + operatorErrorRows + operatorTimeRows

    /// The rows that keep what a law asks for, by their traits.
    static func rows(with traits: Row.Traits = [], without others: Row.Traits = []) -> [Row] {
        rows.filter { $0.traits.isSuperset(of: traits) && $0.traits.isDisjoint(with: others) }
    }

    /// Calling what is deprecated only to test it shall not warn: through a protocol it does not.
    private static var deprecatedRows: [Row] { (DeprecatedRows.self as any RowSource.Type).rows }
}

/// Something that has rows.
protocol RowSource {
    static var rows: [Row] { get }
}
