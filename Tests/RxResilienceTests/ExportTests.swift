import RxResilience
import Testing

@Suite struct ExportTests {
    @Test func moduleExportsOperators() {
        nonisolated(unsafe) var seen: [Int] = []
        _ = Observable.of(1, 2).subscribe(onNext: { seen.append($0) })
        #expect(seen == [1, 2])
    }
}
