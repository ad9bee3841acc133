import Testing

@testable import RxResilience

struct LineTests {
    private final class Member: LineMember {}

    @Test func removedMemberDoesNotRetainSuccessor() {
        var line = Line<Member>()
        let first = Member()
        weak var second: Member?
        do {
            let member = Member()
            second = member
            line.append(first)
            line.append(member)
            line.remove(first)
            line.remove(member)
        }
        #expect(line.isEmpty && second == nil)
        withExtendedLifetime(first) {}
    }
}
