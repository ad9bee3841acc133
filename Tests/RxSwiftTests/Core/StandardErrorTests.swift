import RxSwift
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

struct StandardErrorTests {
    @Test func aLineIsSaidOnceWhateverFailedBefore() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            // Were it said again and again, this ends it.
            alarm(5)
            errno = EINTR
            StandardError.say("my words")
            alarm(0)
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        #expect(lines.count { $0 == "my words" } == 1)
    }
}
