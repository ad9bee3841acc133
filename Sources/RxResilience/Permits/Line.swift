/// A member of at most one ``Line``. The lock of the line protects the links.
class LineMember {
    fileprivate final var next: LineMember?
    fileprivate final unowned var previous: LineMember?
}

/// A first-in, first-out queue that any member can leave in constant time.
///
/// The lock of the queue's owner protects the queue. The caller retains each removed member, so no member is released
/// under that lock.
struct Line<Member: LineMember> {
    private(set) var first: Member?
    private var last: Member?
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ member: Member) {
        member.previous = last
        if let last { last.next = member } else { first = member }
        last = member
        count += 1
    }

    mutating func removeFirst() -> Member? {
        guard let member = first else { return nil }
        remove(member)
        return member
    }

    /// `member` must be in this line.
    mutating func remove(_ member: Member) {
        // The casts are valid because the neighbours are members of this line.
        let next = member.next.map { unsafeDowncast($0, to: Member.self) }
        let previous = member.previous.map { unsafeDowncast($0, to: Member.self) }
        if let next { next.previous = previous } else { last = previous }
        if let previous { previous.next = next } else { first = next }
        member.next = nil
        member.previous = nil
        count -= 1
    }
}
