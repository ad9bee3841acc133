import Testing

@testable import RxSwift

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

struct ThreadRefusedTests {
    @Test func descriptionNamesThreadAndSystemError() {
        let words = "\(ThreadRefused(name: "files", code: ENOMEM))"
        #expect(words == "No thread could be made for files: \(String(cString: strerror(ENOMEM)))")
    }
}
