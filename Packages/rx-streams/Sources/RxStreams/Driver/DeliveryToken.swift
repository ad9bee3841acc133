/// Identifies a delivery in a database: its group, position, attempt and member. It is the content of a driver's
/// ``MessageToken``.
package struct DeliveryToken: Sendable {
    package let group, position: Int64
    package let attempt: Int
    package let member: Int64

    package init(_ group: Int64, _ position: Int64, _ attempt: Int, _ member: Int64) {
        (self.group, self.position, self.attempt, self.member) = (group, position, attempt, member)
    }

    /// The delivery of a token; nil if another driver has made it.
    package init?(_ token: MessageToken) {
        let parts = token.value.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 4, let position = Int64(parts[0]), let attempt = Int(parts[1]),
            let group = Int64(parts[2]), let member = Int64(parts[3])
        else { return nil }
        self.init(group, position, attempt, member)
    }

    /// Text that sorts in the order of positions.
    package var message: MessageToken {
        let number = String(position)
        return MessageToken(
            "\(String(repeating: "0", count: max(0, 19 - number.count)))\(number)-\(attempt)-\(group)-\(member)")
    }
}
