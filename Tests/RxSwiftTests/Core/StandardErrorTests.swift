import RxSwift
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

struct StandardErrorTests {
    @Test func lineIsWrittenOnceDespiteEarlierErrno() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            // If the library retried forever, the alarm would end the process.
            alarm(5)
            errno = EINTR
            StandardError.say("my words")
            alarm(0)
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        #expect(lines.count { $0 == "my words" } == 1)
    }

    @Test func lineIsWrittenWholeDespiteSignal() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [-1, -1]
            precondition(pipe(&ends) == 0)
            let (reader, writer, usual) = (ends[0], ends[1], dup(STDERR_FILENO))
            dup2(writer, STDERR_FILENO)
            signal(SIGUSR1) { _ in }
            let line = (0..<100_000).texts.joined(separator: " ")
            let speaker = Guarded<pthread_t?>(nil)
            startThread {
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGUSR1)
                pthread_sigmask(SIG_UNBLOCK, &signals, nil)
                speaker.withLock { $0 = pthread_self() }
                StandardError.say(line)
                dup2(usual, STDERR_FILENO)
                close(writer)
            }
            let isFull = comesTrue {
                var waited = pollfd(fd: writer, events: Int16(POLLOUT), revents: 0)
                return speaker.withLock { $0 != nil } && poll(&waited, 1, 0) == 0
            }
            precondition(isFull)
            pthread_kill(speaker.withLock { $0 }!, SIGUSR1)
            var (said, part) = ([] as [UInt8], [UInt8](repeating: 0, count: 1 << 16))
            while true {
                let count = read(reader, &part, 1 << 16)
                if count <= 0 { break }
                said += part[..<count]
            }
            precondition(said == Array("\(line)\n".utf8))
        }
    }
}
