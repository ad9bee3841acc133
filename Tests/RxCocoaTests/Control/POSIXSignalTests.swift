import RxCocoa
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
#if Foundation
    import Foundation
#endif

/// Runs in separate processes, because signals are global.
struct POSIXSignalTests {
    @Test func signalIsSentUntilObjectIsReleased() async {
        await #expect(processExitsWith: .success) {
            var hangup: POSIXSignal? = POSIXSignal(SIGHUP)
            let log = Log()
            let subscription = hangup!.rx.controlEvent.take(1).note(in: log)
            try raise(SIGHUP) { log.text == "\(SIGHUP) completed" }
            subscription.dispose()

            let (signals, others) = (Log(), Log())
            let second = hangup!.rx.controlEvent.note(in: signals)
            let third = hangup!.rx.controlEvent.note(in: others)
            try raise(SIGHUP) { signals.text.hasPrefix("\(SIGHUP)") && others.text.hasPrefix("\(SIGHUP)") }
            hangup = nil
            // A thread that is delivering may hold the last reference to the signal source. The end then arrives later.
            precondition(comesTrue { signals.text.hasSuffix("completed") && others.text.hasSuffix("completed") })
            [second, third].forEach { $0.dispose() }
        }
    }

    @Test func subscriptionReceivesNothingOnceDisposed() async {
        await #expect(processExitsWith: .success) {
            let (signal, log, control) = (POSIXSignal(SIGUSR1), Log(), Log())
            let other = signal.rx.controlEvent.note(in: control)
            let subscription = signal.rx.controlEvent.note(in: log)
            try raise(SIGUSR1) { !log.text.isEmpty && !control.text.isEmpty }
            subscription.dispose()
            _ = (log.take(), control.take())
            try raise(SIGUSR1) { !control.text.isEmpty }
            precondition(log.text.isEmpty)
            other.dispose()
        }
    }

    #if Foundation
        @Test func articleContainsExample() throws {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            let example = try String(contentsOf: folder.appendingPathComponent("POSIXSignal.swift"), encoding: .utf8)
            let article = try String(
                contentsOf: folder.appendingPathComponent("../../../Sources/RxCocoa/RxCocoa.docc/SourcesOfYourOwn.md"),
                encoding: .utf8)
            let body = try #require(
                example.components(separatedBy: "// example\n").last?.components(separatedBy: "// end of the").first)
            #expect(article.contains("```swift\n\(body)```"))
        }
    #endif
}

/// Repeats the signal, because an activated dispatch source does not listen at once.
private func raise(_ number: Int32, until isSeen: () -> Bool) throws {
    for _ in 0..<1_000 {
        kill(getpid(), number)
        usleep(10_000)
        if isSeen() { return }
    }
    throw Unseen(signal: number)
}

private struct Unseen: Error {
    let signal: Int32
}
