import Foundation
import RxStreams

extension NATSDriver {
    /// The settings that a group has, with those that a member wants; nil where it has them.
    static func changed(_ info: [UInt8], by group: GroupSettings, _ stream: String) throws -> [UInt8]? {
        let answer = (try? JSONSerialization.jsonObject(with: Data(info))) as? [String: Any]
        guard var config = answer?["config"] as? [String: Any] else {
            throw BrokerError.unavailable("the server's answer cannot be read")
        }
        if config["deliver_subject"] != nil || config["ack_policy"] as? String != "explicit" {
            throw BrokerError.refused("stream \(stream) has a consumer \(group.name) that is no group")
        }
        let deadline = group.deadline.nanosecondsClamped
        let isSame =
            config["ack_wait"] as? Int == deadline && config["max_ack_pending"] as? Int == group.maxUnsettled
            && config["filter_subject"] as? String == group.filter
        if isSame { return nil }
        config["ack_wait"] = deadline
        config["max_ack_pending"] = group.maxUnsettled
        config["filter_subject"] = group.filter
        return JetStream.json(["stream_name": stream, "config": config])
    }
}
