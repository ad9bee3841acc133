import Foundation
import RxStreams

extension NATSDriver {
    struct GroupChange {
        /// The deadline in nanoseconds: at least the one that the member requests.
        var deadline: Int
        /// The change; nil if the group already has the member's settings.
        var request: [UInt8]?
    }

    /// Returns the change that an existing group needs for a member. All members share one deadline. It never becomes
    /// shorter, because members that joined earlier rely on it. Throws `BrokerError.refused(_:)` if the consumer is not
    /// a group, or has other subjects.
    static func change(_ info: [UInt8], by group: GroupSettings, _ stream: String) throws -> GroupChange {
        let answer = (try? JSONSerialization.jsonObject(with: Data(info))) as? [String: Any]
        guard var config = answer?["config"] as? [String: Any] else {
            throw BrokerError.unavailable("the server's answer cannot be read")
        }
        if config["deliver_subject"] != nil || config["ack_policy"] as? String != "explicit" {
            throw BrokerError.refused("stream \(stream) has a consumer \(group.name) that is not a group")
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
