import Foundation
import RxStreams

extension NATSDriver {
    /// What a group has to become for a member.
    struct GroupChange {
        /// How long members have for a message, in nanoseconds: as long as this one wants, or longer.
        var deadline: Int
        /// The settings that the group has, with those that the member wants; nil where it has them.
        var request: [UInt8]?
    }

    /// What a group has to become for a member. Its deadline only grows: it is that of all members, and who has a
    /// longer one extends it too seldom for a shorter one.
    ///
    /// - Throws: `BrokerError.refused(_:)` where it is no group, or one of other subjects.
    static func change(_ info: [UInt8], by group: GroupSettings, _ stream: String) throws -> GroupChange {
        let answer = (try? JSONSerialization.jsonObject(with: Data(info))) as? [String: Any]
        guard var config = answer?["config"] as? [String: Any] else {
            throw BrokerError.unavailable("the server's answer cannot be read")
        }
        if config["deliver_subject"] != nil || config["ack_policy"] as? String != "explicit" {
            throw BrokerError.refused("stream \(stream) has a consumer \(group.name) that is no group")
        }
        let filter = (config["filter_subject"] as? String).flatMap { $0.isEmpty ? nil : $0 }
        try GroupSettings(group.name, filter: filter).checkFilter(of: group, stream: stream)
        let present = config["ack_wait"] as? Int ?? 0
        let deadline = max(present, group.deadline.nanosecondsClamped)
        let isSame = present == deadline && config["max_ack_pending"] as? Int == group.maxUnsettled
        if isSame { return GroupChange(deadline: deadline) }
        config["ack_wait"] = deadline
        config["max_ack_pending"] = group.maxUnsettled
        return GroupChange(
            deadline: deadline, request: JetStream.json(["stream_name": stream, "config": config]))
    }
}
