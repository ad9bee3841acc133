/// The namespace of an object's reactive extensions: `object.rx`.
///
///     extension Reactive where Base: Thermometer {
///         var temperature: Observable<Double> { base.readings.map(\.degrees) }
///     }
///
/// Each settable property of an object is available as a ``Binder``: `thermometer.rx.unit`.
@dynamicMemberLookup
public struct Reactive<Base> {
    /// The extended object.
    public let base: Base

    /// Creates the namespace of `base`.
    public init(_ base: Base) {
        self.base = base
    }

    /// A binder that sets the property at `keyPath` on the main queue.
    public subscript<Property>(dynamicMember keyPath: ReferenceWritableKeyPath<Base, Property>) -> Binder<Property>
    where Base: AnyObject {
        nonisolated(unsafe) let keyPath = keyPath  // a key path is immutable
        return Binder(base) { base, value in
            base[keyPath: keyPath] = value
        }
    }
}

extension Reactive: Sendable where Base: Sendable {}

/// A type with an `rx` property.
public protocol ReactiveCompatible {
    /// The extended type.
    associatedtype ReactiveBase

    /// The `rx` namespace of the type.
    static var rx: Reactive<ReactiveBase>.Type { get set }

    /// The `rx` namespace of an instance.
    var rx: Reactive<ReactiveBase> { get set }
}

extension ReactiveCompatible {
    // Settable, so that setters in extensions of `Reactive` can be called.
    public static var rx: Reactive<Self>.Type {
        get { Reactive<Self>.self }
        set {}
    }

    public var rx: Reactive<Self> {
        get { Reactive(self) }
        set {}
    }
}
