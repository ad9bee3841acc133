public import RxSwift

/// A relay across processes: a value that all see and any may change.
///
/// ```swift
/// let flags = broker.relay("flags", of: Flags.self)
/// flags.asObservable().subscribe(onNext: apply)
/// try await flags.update { flags in var flags = flags ?? Flags(); flags.isOpen = true; return flags }
/// ```
public struct SharedRelay<Element: Sendable>: ObservableConvertibleType, Sendable {
    private let driver: any LiveDriver
    private let codec: Codec<Element>
    /// Its name.
    public let name: String

    init(_ driver: any LiveDriver, _ name: String, _ codec: Codec<Element>) {
        self.driver = driver
        self.name = name
        self.codec = codec
    }

    /// What it holds; nil where nothing has been stored yet.
    ///
    /// - Throws: what the codec throws; ``BrokerError``.
    public var value: Element? {
        get async throws {
            try await load()?.payload
        }
    }

    /// Stores a value, whatever it held.
    ///
    /// - Throws: what the codec throws; ``BrokerError``.
    public func accept(_ value: Element) async throws {
        try Name.check(name, of: "relay")
        _ = try await driver.store(codec.encode(value), in: name, expecting: nil)
    }

    /// Changes the value: by what it holds, and again where another has changed it meanwhile. So no change is lost.
    ///
    /// - Parameter change: makes the new value of the present one, nil for none; may be called several times.
    /// - Returns: what it holds now.
    /// - Throws: what `change` and the codec throw; ``BrokerError``.
    @discardableResult
    public func update(_ change: @Sendable (Element?) throws -> Element) async throws -> Element {
        while true {
            let present = try await load()
            let value = try change(present?.payload)
            do {
                _ = try await driver.store(codec.encode(value), in: name, expecting: present?.revision ?? 0)
                return value
            } catch BrokerError.conflict {
                try Task.checkCancellation()
            }
        }
    }

    /// What it holds, if anything, then each change, in order; some may be left out where later ones have come. What is
    /// no element is left out. On the driver's threads; it completes when the broker is closed. Where a bound below has
    /// no room, it pauses.
    public func asObservable() -> Observable<Element> {
        Observable.deferred { [driver, name, codec] in
            try Name.check(name, of: "relay")
            return driver.values(of: name).compactMap { try? codec.decode($0.payload) }
        }
    }

    private func load() async throws -> (payload: Element, revision: UInt64)? {
        try Name.check(name, of: "relay")
        guard let cell = try await driver.load(name) else { return nil }
        return (try codec.decode(cell.payload), cell.revision)
    }
}
