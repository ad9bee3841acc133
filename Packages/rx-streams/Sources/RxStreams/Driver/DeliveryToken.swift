/// Identifies a delivery in a database. A driver's ``MessageToken`` contains it as text.
package struct DeliveryToken: Sendable {
    package let group, position: Int64
    package let attempt: Int
    package let member: Int64

    package init(_ group: Int64, _ position: Int64, _ attempt: Int, _ member: Int64) {
        (self.group, self.position, self.attempt, self.member) = (group, position, attempt, member)
    }

    /// Returns nil for a token of another driver.
    package init?(_ token: MessageToken) {
        let parts = token.value.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 4, let position = Int64(parts[0]), let attempt = Int(parts[1]),
            let group = Int64(parts[2]), let member = Int64(parts[3])
        else { return nil }
        self.init(group, position, attempt, member)
    }

    /// Tokens sort in the order of positions.
    package var message: MessageToken {
        let number = String(position)
        return MessageToken(
            "\(String(repeating: "0", count: max(0, 19 - number.count)))\(number)-\(attempt)-\(group)-\(member)")
    }
}
