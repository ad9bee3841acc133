import Synchronization

final class MessageIDs: Sendable {
    private let prefix: String
    private let count = Atomic<UInt64>(0)

    init() {
        prefix =
            String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    func next() -> String {
        "\(prefix)-\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
    }
}
