/// A point in the virtual time of a ``TestScheduler``.
public typealias TestTime = Int
