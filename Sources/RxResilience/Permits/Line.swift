/// What can stand in a ``Line``: in one at a time. The line's guard has the links, too.
class LineMember {
    fileprivate final var next: LineMember?
    fileprivate final unowned var previous: LineMember?
}

/// Objects in the order in which they came. Each can leave at any time, at a cost that does not grow with the line.
///
/// Its holder's lock guards it. Who leaves is handed out, or held by who takes it out, so that nothing is released
/// under the lock.
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

    /// Takes out one that stands in this line.
    mutating func remove(_ member: Member) {
        // The neighbours are members, too.
        let next = member.next.map { unsafeDowncast($0, to: Member.self) }
        let previous = member.previous.map { unsafeDowncast($0, to: Member.self) }
        if let next { next.previous = previous } else { last = previous }
        if let previous { previous.next = next } else { first = next }
        member.next = nil
        member.previous = nil
        count -= 1
    }
}
