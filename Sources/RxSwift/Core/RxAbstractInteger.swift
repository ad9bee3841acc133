/// The integers that ``ObservableType/range(start:count:scheduler:)`` counts in.
public typealias RxAbstractInteger = FixedWidthInteger
