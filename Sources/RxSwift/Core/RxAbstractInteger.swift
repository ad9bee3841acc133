/// The integer types of ``ObservableType/range(start:count:scheduler:)``.
public typealias RxAbstractInteger = FixedWidthInteger
