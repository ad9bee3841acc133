import LogTailModel
import RxSwift
import Testing

@Suite struct WindowsTests {
    private func added(_ seconds: Int..., to windows: inout Windows) -> [[Window]] {
        seconds.map { windows.add(Entry(second: $0, status: 200)) }
    }

    private func window(_ second: Int, _ lines: Int) -> Window { Window(second: second, lines: [200: lines]) }

    @Test func secondClosesWhenALineIsLaterThanTheLateness() {
        var windows = Windows(lateness: 2)
        #expect(added(10, 10, 12, to: &windows) == [[], [], []])
        #expect(added(13, to: &windows) == [[window(10, 2)]])
    }

    @Test func lineWithinTheLatenessIsCountedWithItsSecond() {
        var windows = Windows(lateness: 2)
        #expect(added(10, 12, 10, 13, to: &windows) == [[], [], [], [window(10, 2)]])
    }

    @Test func lineBeyondTheLatenessIsSentWithTheNextWindow() {
        var windows = Windows(lateness: 1)
        #expect(added(10, 12, 10, 10, to: &windows) == [[], [window(10, 1)], [], []])
        #expect(added(14, to: &windows) == [[window(10, 2), window(12, 1)]])
    }

    @Test func aLeapClosesTheSecondsBeforeItInTheirOrder() {
        var windows = Windows(lateness: 5)
        _ = added(13, 11, 12, to: &windows)
        #expect(added(1_000, to: &windows) == [[window(11, 1), window(12, 1), window(13, 1)]])
        #expect(windows.closeAll() == [window(1_000, 1)])
        #expect(windows.closeAll() == [])
    }

    @Test func linesAreCountedByStatus() {
        var windows = Windows(lateness: 0)
        for status in [200, 503, 200] { _ = windows.add(Entry(second: 1, status: status)) }
        #expect(windows.closeAll() == [Window(second: 1, lines: [200: 2, 503: 1])])
    }

    @Test func openWindowsAreSentAtTheEnd() async throws {
        let entries = [1, 1, 3].map { Entry(second: $0, status: 200) }
        let counted = try await Observable.from(entries).countedBySecond(lateness: 1).toArray().value
        #expect(counted == [[window(1, 2)], [window(3, 1)]])
    }

    @Test func openWindowsAreSentBeforeAnError() async throws {
        let entries = Observable.concat(.just(Entry(second: 1, status: 200)), .error(LogError.lost(path: "log")))
        let counted = try await entries.countedBySecond(lateness: 1).catchAndReturn([]).toArray().value
        #expect(counted == [[window(1, 1)], []])
    }
}
