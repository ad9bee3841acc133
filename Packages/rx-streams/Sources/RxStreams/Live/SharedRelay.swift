public import RxSwift

/// A relay across processes: a value that each process can read and change.
///
/// ```swift
/// let flags = broker.relay("flags", of: Flags.self)
/// flags.asObservable().subscribe(onNext: apply)
/// try await flags.update { flags in var flags = flags ?? Flags(); flags.isOpen = true; return flags }
/// ```
public struct SharedRelay<Element: Sendable>: ObservableConvertibleType, Sendable {
    private let driver: any LiveDriver
    private let codec: Codec<Element>
    /// The relay's name.
    public let name: String

    init(_ driver: any LiveDriver, _ name: String, _ codec: Codec<Element>) {
        self.driver = driver
        self.name = name
        self.codec = codec
    }

    /// The current value; nil if none has been stored yet. Throws the codec's error, or a ``BrokerError``.
    public var value: Element? {
        get async throws {
            try await load()?.payload
        }
    }

    /// Stores a `value`, regardless of the current one. Throws the codec's error, or a ``BrokerError``.
    public func accept(_ value: Element) async throws {
        try Name.check(name, of: "relay")
        _ = try await driver.store(codec.encode(value), in: name, expecting: nil)
    }

    /// Calls `change` with the current value, nil if there is none, and stores and returns the result. If another
    /// writer has changed the value in between, calls `change` again with the new value, so no change is lost. Throws
    /// the error of `change` or the codec, or a ``BrokerError``.
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

    /// Returns the current value, if there is one, then each change, in order. A value may be skipped if a later one
    /// exists, or if it cannot be decoded. Elements are sent on the driver's threads. The sequence completes when the
    /// broker is closed. If a bounded queue downstream is full, the sequence pauses.
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
