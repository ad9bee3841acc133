public import Dispatch
public import RxStreams
public import RxSwift

/// A requirement on drivers, as a test case.
///
/// ```swift
/// @Test(arguments: ConformanceCase.all)
/// func keeps(_ promise: ConformanceCase) async throws {
///     let engine = try await Engine.fresh()
///     try await promise.run(on: ConformanceEnvironment(engine.broker, unit: .milliseconds(200)) { engine.another() })
/// }
/// ```
public struct ConformanceCase: Sendable, CustomStringConvertible {
    /// The requirement.
    public let name: String
    private let body: @Sendable (ConformanceEnvironment) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (ConformanceEnvironment) async throws -> Void) {
        self.name = name
        self.body = body
    }

    public var description: String { name }

    /// Runs the case on an `environment`. Throws a ``ConformanceFailure``, or the driver's error.
    public func run(on environment: ConformanceEnvironment) async throws {
        try await body(environment)
    }

    /// All cases.
    public static let all: [ConformanceCase] =
        streams + appending + groups + settling + reading + live + pipelines
}

/// The broker on which a case runs, and its time unit.
public struct ConformanceEnvironment: Sendable {
    /// A connected broker.
    public let broker: any Broker
    /// The deadline of groups and the unit of other waits: short, but much longer than a call takes.
    public let unit: RxTimeInterval
    /// Opens another connection to the same engine, as another process would.
    public let another: @Sendable () async throws -> any Broker
    let tag: String

    /// Creates an environment. Other cases may have used the `broker`.
    public init(
        _ broker: any Broker, unit: RxTimeInterval, another: @escaping @Sendable () async throws -> any Broker
    ) {
        self.broker = broker
        self.unit = unit
        self.another = another
        tag = String(UInt32.random(in: .min ... .max), radix: 36)
    }

    var driver: any LiveDriver { broker.driver }

    func units(_ count: Double) -> RxTimeInterval { .nanoseconds(Int(unit.inSeconds * count * 1e9)) }

    func settings(_ name: String = "s", subjects: [String]? = nil) -> StreamSettings {
        StreamSettings(
            "\(name)-\(tag)",
            subjects: (subjects ?? [""]).map { $0.isEmpty ? "\(name)-\(tag)" : "\(name)-\(tag).\($0)" })
    }

    func stream(
        _ name: String = "s", subjects: [String]? = nil, _ change: (inout StreamSettings) -> Void = { _ in }
    ) async throws -> StreamSettings {
        var settings = settings(name, subjects: subjects)
        change(&settings)
        try await driver.ensure(settings)
        return settings
    }

    func group(_ name: String = "g", _ change: (inout GroupSettings) -> Void = { _ in }) -> GroupSettings {
        var settings = GroupSettings(name, deadline: unit)
        change(&settings)
        return settings
    }

    @discardableResult
    func append(_ numbers: some Sequence<Int>, to stream: StreamSettings, subject: String? = nil) async throws
        -> [Receipt]
    {
        try await driver.append(numbers.map { NewMessage(subject ?? stream.subjects[0], bytes($0)) }, to: stream.name)
    }

    func bytes(_ number: Int) -> [UInt8] { [UInt8]("\(number)".utf8) }

    func number(_ message: StoredMessage) -> Int {
        Int(String(decoding: message.message.payload, as: UTF8.self)) ?? -1
    }

    /// Pulls `count` messages, in several pulls if necessary, within `limit` units.
    func pull(_ count: Int, from member: any GroupMember, units limit: Double = 20) async throws -> [PulledMessage] {
        var pulled: [PulledMessage] = []
        let end = driver.scheduler.now.addingTimeInterval(units(limit).inSeconds)
        while pulled.count < count, driver.scheduler.now < end {
            pulled += try await member.pull(upTo: count - pulled.count, within: unit)
        }
        return pulled
    }

    func finish(_ count: Int, from member: any GroupMember) async throws -> [Int] {
        let pulled = try await pull(count, from: member)
        try await member.settle(pulled.map { Verdict($0.token, .done) })
        return pulled.map { number($0.stored) }
    }

    func eventually(_ what: String, _ holds: () async throws -> Bool) async throws {
        let end = driver.scheduler.now.addingTimeInterval(units(400).inSeconds)
        while try await !holds() {
            guard driver.scheduler.now < end else { throw ConformanceFailure("never seen: \(what)") }
            try await driver.sleep(units(0.05))
        }
    }
}

/// A requirement that the driver does not meet.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The expected result, the actual one, and the location.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

func expect<Value: Equatable>(
    _ seen: Value, _ expected: Value, _ what: String, file: StaticString = #fileID, line: Int = #line
) throws {
    if seen != expected {
        throw ConformanceFailure("\(what): expected \(expected), seen \(seen) (\(file):\(line))")
    }
}

func expect(_ holds: Bool, _ what: String, file: StaticString = #fileID, line: Int = #line) throws {
    if !holds { throw ConformanceFailure("\(what) (\(file):\(line))") }
}

func expectError(
    _ what: String, _ isExpected: (BrokerError) -> Bool, file: StaticString = #fileID, line: Int = #line,
    _ work: () async throws -> Void
) async throws {
    do {
        try await work()
    } catch let error as BrokerError where isExpected(error) {
        return
    } catch {
        throw ConformanceFailure("\(what): threw \(error) (\(file):\(line))")
    }
    throw ConformanceFailure("\(what): threw nothing (\(file):\(line))")
}

extension BrokerError {
    var isRefused: Bool { if case .refused = self { true } else { false } }
    var isMissing: Bool { if case .missing = self { true } else { false } }
}
