import Dispatch
import RxTest
import TestSupport
import Testing

@testable import RxSwift

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Some tests wait for a fixed time. On a busy machine they may miss a fault, but they never fail without one.
@Suite(.notForever)
struct LinesTests {
    @Test func aPipeCompletesOnceItIsClosed() {
        #expect(lines("a\nbc\n\nd\n") == ["a", "bc", "", "d", "|"])
    }

    @Test func textAfterLastNewlineIsALine() {
        #expect(lines("a\nb") == ["a", "b", "|"])
        #expect(lines("a") == ["a", "|"])
        #expect(lines("") == ["|"])
    }

    @Test func aCarriageReturnBeforeTheNewlineIsDropped() {
        #expect(lines("a\r\n\r\nb\rc\r\r\nd") == ["a", "", "b\rc\r", "d", "|"])
    }

    @Test func aCarriageReturnThatNoNewlineFollowsStays() {
        #expect(lines("a\r") == ["a\r", "|"])
        #expect(lines("\r") == ["\r", "|"])
        #expect(lines("a\r\nb\r\r") == ["a", "b\r\r", "|"])
    }

    @Test func invalidUTF8IsRepaired() {
        #expect(lines(bytes: [0x61, 0xFF, 0x0A, 0xC3]) == ["a\u{FFFD}", "\u{FFFD}", "|"])
    }

    @Test func aLineMayComeInPieces() {
        let pipe = TestPipe()
        let reading = Reading(pipe.reader)
        for piece in ["n", "a\u{308}", "h", "\nx"] { pipe.write(piece) }
        #expect(reading.wait(for: 1) == ["na\u{308}h"])
        pipe.closeWriter()
        #expect(reading.all() == ["na\u{308}h", "x", "|"])
    }

    @Test func lineLongerThanOneReadIsSentWhole() {
        let long = String(repeating: "é", count: 200_000)
        #expect(lines("a\n\(long)\r\nb") == ["a", long, "b", "|"])
    }

    @Test func aLineIsSentBeforeTheNextIsWritten() {
        let pipe = TestPipe()
        let reading = Reading(pipe.reader)
        pipe.write("a\n")
        #expect(reading.wait(for: 1) == ["a"])
        pipe.write("b\n")
        #expect(reading.wait(for: 2) == ["a", "b"])
    }

    @Test func emptyLineOfOneByteIsSent() {
        let pipe = TestPipe()
        let reading = Reading(pipe.reader)
        for count in 1...3 {
            pipe.write("\n")
            #expect(comesTrue { reading.events.count == count })
        }
        reading.subscription.dispose()
    }

    @Test func textAppendedDuringReadingIsRead() throws {
        let file = try TestFile()
        file.append("1\n")
        let reading = Reading(file.reader) { line in
            if let number = Int(line), number < 100 { file.append("\(number + 1)\n") }
        }
        #expect(reading.all() == (1...100).texts + ["|"])
    }

    @Test func followedFileIsReadAfterItsEnd() throws {
        let file = try TestFile()
        file.append("a\nb")
        let reading = Reading(file.reader, following: .milliseconds(5))
        #expect(reading.wait(for: 1) == ["a"])
        file.append("c\nd\n")
        #expect(reading.wait(for: 3) == ["a", "bc", "d"])
        reading.subscription.dispose()
        #expect(reading.events == ["a", "bc", "d"])
    }

    @Test func fileIsFollowedWithDroppedSubscription() throws {
        let (file, seen) = (try TestFile(), Log())
        _ = Observable.lines(of: file.reader, following: .milliseconds(5)).take(3).subscribe(onNext: { seen($0) })
        for (count, line) in ["a", "b", "c"].enumerated() {
            file.append("\(line)\n")
            #expect(comesTrue { seen.entries.count == count + 1 })
        }
    }

    @Test func followedFileIsPolledAtTheGivenInterval() throws {
        let file = try TestFile()
        file.append("0\n")
        let reading = Reading(file.reader, following: .milliseconds(500))
        _ = reading.wait(for: 1)
        // A line is read at once if the reader has not yet seen the end of the file. So the test writes lines until one
        // of them waits.
        var number = 0
        let hasWaited = comesTrue {
            let before = DispatchTime.now()
            number += 1
            file.append("\(number)\n")
            _ = reading.wait(for: number + 1)
            return DispatchTime.now() >= before + .milliseconds(300)
        }
        #expect(hasWaited)
        reading.subscription.dispose()
    }

    @Test func readingWaitsForSlowObserver() {
        let pipe = TestPipe()
        let isOpen = DispatchSemaphore(value: 0)
        let reading = Reading(pipe.reader) { if $0 == "0" { isOpen.wait() } }
        // While the observer handles the first line, the library reads at most 128 KiB.
        let written = pipe.writeAsMuchAsFits { "\($0)\n" }
        #expect(written > 0 && pipe.bytes <= pipe.capacity + 2 * 65_536)
        isOpen.signal()
        pipe.closeWriter()
        #expect(reading.all().count == written + 1)
    }

    @Test func aBoundedHopPausesTheReading() {
        let pipe = TestPipe()
        let isOpen = DispatchSemaphore(value: 0)
        let hop = SerialDispatchQueueScheduler(qos: .default)
        let reading = Reading(Observable.lines(of: pipe.reader).observe(on: hop).bounded(4)) {
            if $0 == "0" { isOpen.wait() }
        }
        let written = pipe.writeAsMuchAsFits { "\($0)\n" }
        #expect(written > 0 && pipe.bytes <= pipe.capacity + 2 * 65_536)
        isOpen.signal()
        pipe.closeWriter()
        #expect(reading.all() == (0..<written).texts + ["|"])
    }

    @Test(arguments: [1, 2, 16]) func aBoundedHopGetsAllLines(bound: Int) throws {
        let (file, hop) = (try TestFile(), SerialDispatchQueueScheduler(qos: .default))
        for number in 0..<20 { file.append("\(number)\n") }
        file.append("20")
        let reading = Reading(Observable.lines(of: file.reader).observe(on: hop).bounded(bound))
        #expect(reading.all() == (0...20).texts + ["|"])
    }

    /// The first four lines fill one read of 64 KiB. The end of that read waits for room, and must not end the next
    /// read.
    @Test func endOfReadThatWaitedForRoomDoesNotEndNextRead() {
        let (pipe, hop, sent) = (TestPipe(), TestScheduler(initialClock: 0), DispatchSemaphore(value: 0))
        let lines = Observable.lines(of: pipe.reader).do(onNext: { _ in sent.signal() })
        let reading = Reading(lines.observe(on: hop).bounded(2))
        let quarter = String(repeating: "a", count: (64 << 10) / 4 - 1)
        pipe.write(String(repeating: quarter + "\n", count: 4))
        sent.wait()
        sent.wait()
        usleep(500_000)
        hop.start()
        sent.wait()
        sent.wait()
        pipe.write("b\n")
        usleep(500_000)
        hop.start()
        sent.wait()
        pipe.write("c\n")
        pipe.closeWriter()
        #expect(
            comesTrue {
                hop.start()
                return reading.events.last == "|"
            })
        #expect(reading.events.dropFirst(4) == ["b", "c", "|"])
    }

    @Test func textAfterLastNewlineWaitsForRoom() throws {
        let (file, scheduler) = (try TestFile(), TestScheduler(initialClock: 0))
        file.append("0\n1\n2")
        let hasEnded = DispatchSemaphore(value: 0)
        let (two, sent) = (DispatchSemaphore(value: 0), Guarded<[String]>([]))
        let lines = Observable.lines(of: file.reader).do(
            onNext: { line in
                sent.withLock { $0.append(line) }
                if line == "1" { two.signal() }
            }, onCompleted: { hasEnded.signal() })
        let subscription = lines.observe(on: scheduler).bounded(2).subscribe()
        two.wait()
        #expect(hasEnded.wait(timeout: .now() + .milliseconds(200)) == .timedOut)
        #expect(sent.withLock { $0 } == ["0", "1"])
        subscription.dispose()
    }

    /// Closing the other end of a terminal makes the next read fail.
    @Test func errorWhileLinesWaitForRoomFollowsThem() throws {
        // Glibc's module omits posix_openpt and related functions.
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        defer { close(terminal) }
        var (locked, number) = (Int32(0), UInt32(0))
        let (setLock, getNumber) = (UInt(0x4004_5431), UInt(0x8004_5430))
        try #require(ioctl(terminal, setLock, &locked) == 0 && ioctl(terminal, getNumber, &number) == 0)
        let other = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(other >= 0)
        let (hop, sent) = (TestScheduler(initialClock: 0), DispatchSemaphore(value: 0))
        let lines = Observable.lines(of: terminal).do(onNext: { _ in sent.signal() })
        let reading = Reading(lines.observe(on: hop).bounded(2))
        _ = systemWrite(other, "0\n1\n2\n", 6)
        sent.wait()
        sent.wait()
        close(other)
        usleep(50_000)
        #expect(
            comesTrue {
                hop.start()
                return reading.events.count == 4
            })
        #expect(reading.events == ["0", "1", "2", "Input/output error (errno \(EIO))"])
    }

    @Test func endAfterCompleteLinesDoesNotWaitForRoom() throws {
        let (file, scheduler) = (try TestFile(), TestScheduler(initialClock: 0))
        file.append("0\n1\n")
        let (hasEnded, log) = (DispatchSemaphore(value: 0), Log())
        let subscription = Observable.lines(of: file.reader).do(afterCompleted: { hasEnded.signal() })
            .observe(on: scheduler).bounded(2).note(in: log)
        #expect(hasEnded.wait(timeout: .now() + 30) == .success)
        #expect(log.text == "")
        scheduler.start()
        #expect(log.text == "0 1 completed")
        subscription.dispose()
    }

    @Test func aPausedReadingMayBeDisposedOf() {
        let pipe = TestPipe()
        let (hasCome, isOpen) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let hop = SerialDispatchQueueScheduler(qos: .default)
        let reading = Reading(Observable.lines(of: pipe.reader).observe(on: hop).bounded(1)) { _ in
            hasCome.signal()
            isOpen.wait()
        }
        _ = pipe.writeAsMuchAsFits { "\($0)\n" }
        hasCome.wait()
        reading.subscription.dispose()
        isOpen.signal()
        // The library was delivering this line during the disposal.
        #expect(reading.wait(for: 1) == ["0"])
        // A write fails once the library has closed its duplicate of the descriptor.
        pipe.closeReader()
        while pipe.write("b\n") {}
        #expect(reading.events == ["0"])
    }

    @Test func disposalEndsTheReading() {
        let pipe = TestPipe()
        let reading = Reading(pipe.reader)
        pipe.write("a\n")
        #expect(reading.wait(for: 1) == ["a"])
        reading.subscription.dispose()
        pipe.closeReader()
        while pipe.write("b\n") {}
        #expect(reading.events == ["a"])
    }

    @Test func aReaderThatWaitsForItsNextLookIsFreedWithTheSubscription() throws {
        final class Place: @unchecked Sendable {  // because one thread uses it
            weak var reader: LineReader?
        }
        let (file, place) = (try TestFile(), Place())
        file.append("a\n")
        let reading = Reading(
            Observable.create(flow: { observer in
                let reader = LineReader.make(file.reader, .seconds(1_000), observer)
                place.reader = reader
                return reader?.start() ?? Disposables.create()
            }))
        _ = reading.wait(for: 1)
        usleep(50_000)
        #expect(place.reader != nil)
        reading.subscription.dispose()
        #expect(comesTrue { place.reader == nil })
    }

    @Test func disposalDuringALineSendsNoFurtherLine() {
        let pipe = TestPipe()
        let bag = SerialDisposable()
        let seen = Log()
        let ended = DispatchSemaphore(value: 0)
        bag.disposable = Observable.lines(of: pipe.reader)
            .subscribe(
                onNext: {
                    seen($0)
                    bag.dispose()
                }, onDisposed: { ended.signal() })
        // `bag` now holds the subscription, so the first line can dispose of it.
        pipe.write("a\nb\nc\n")
        ended.wait()
        #expect(seen.text == "a")
    }

    @Test func closedDescriptorIsAnError() {
        // Another test may reuse the number of a closed descriptor, but never the largest number.
        let reading = Reading(.max)
        #expect(reading.all() == ["Bad file descriptor (errno \(EBADF))"])
    }

    @Test func unreadableDescriptorIsAnError() {
        let directory = open("/", O_RDONLY)
        defer { close(directory) }
        let reading = Reading(directory)
        #expect(reading.all() == ["\(DescriptorError(code: EISDIR))"])
    }

    @Test func writeOnlyDescriptorIsAnError() {
        let writer = open("/dev/null", O_WRONLY)
        defer { close(writer) }
        #expect(Reading(writer).all() == ["\(DescriptorError(code: EBADF))"])
    }

    /// In a separate process, no other test opens descriptors.
    @Test func noDescriptorStaysOpen() async {
        await #expect(processExitsWith: .success) {
            var kept: [TestPipe] = []
            func count() -> Int { (0..<256).count { fcntl(Int32($0), F_GETFD) >= 0 } - 2 * kept.count }
            func read() {
                let (ended, endless, directory) = (TestPipe(), TestPipe(), open("/", O_RDONLY))
                kept.append(endless)
                let readings = [ended.reader, endless.reader, directory].map { Reading($0) }
                for pipe in [ended, endless] { pipe.write("a\n") }
                ended.closeWriter()
                precondition(readings[0].all() == ["a", "|"] && readings[2].all().count == 1)
                precondition(readings[1].wait(for: 1) == ["a"])
                readings[1].subscription.dispose()
                close(directory)
            }
            // In the first round, Dispatch opens its own descriptors.
            read()
            let usual = count()
            for _ in 0..<8 { read() }
            precondition(comesTrue { count() <= usual }, "\(count()) are open, and not \(usual)")
        }
    }

    @Test func duplicatedDescriptorIsCloseOnExec() async {
        await #expect(processExitsWith: .success) {
            let pipe = TestPipe()
            let next = fcntl(pipe.reader, F_DUPFD, 0)
            close(next)
            let reading = Reading(pipe.reader)
            precondition(fcntl(next, F_GETFD) & FD_CLOEXEC != 0)
            pipe.closeWriter()
            precondition(reading.all() == ["|"])
        }
    }

    @Test func descriptorOfCallerStaysOpen() {
        let pipe = TestPipe()
        pipe.write("a\nb")
        pipe.closeWriter()
        #expect(Reading(pipe.reader).all() == ["a", "b", "|"])
        #expect(fcntl(pipe.reader, F_GETFD) >= 0)
    }

    @Test func theDescriptorMayBeClosedOnceItIsSubscribedTo() {
        let pipe = TestPipe()
        let reading = Reading(pipe.reader)
        pipe.closeReader()
        pipe.write("a\n")
        pipe.closeWriter()
        #expect(reading.all() == ["a", "|"])
    }

    private func lines(_ text: String) -> [String] { lines(bytes: Array(text.utf8)) }

    private func lines(bytes: [UInt8]) -> [String] {
        let pipe = TestPipe()
        let reading = Reading(pipe.reader)
        pipe.write(bytes)
        pipe.closeWriter()
        return reading.all()
    }
}

#if Foundation
    import Foundation

    extension LinesTests {
        @Test func fileHandleIsReadLikeDescriptor() {
            let pipe = Pipe()
            pipe.fileHandleForWriting.write(Data("a\nb".utf8))
            try? pipe.fileHandleForWriting.close()
            #expect(Reading(Observable.lines(of: pipe.fileHandleForReading)).all() == ["a", "b", "|"])
        }

        /// A freed handle would close its descriptor.
        @Test func aFileHandleIsKept() {
            let pipe = TestPipe()
            pipe.write("a\n")
            pipe.closeWriter()
            var handle: FileHandle? = FileHandle(fileDescriptor: dup(pipe.reader), closeOnDealloc: true)
            let lines = handle.map { Observable.lines(of: $0) }
            handle = nil
            #expect(lines.map { Reading($0).all() } == ["a", "|"])
        }

        @Test func closedFileHandleIsAnError() throws {
            let pipe = Pipe()
            let lines = Observable.lines(of: pipe.fileHandleForReading)
            try pipe.fileHandleForReading.close()
            #expect(Reading(lines).all() == ["Bad file descriptor (errno \(EBADF))"])
        }
    }
#endif

/// A subscription and its events: lines, then "|" or the text of an error.
// @unchecked Sendable because only the initialiser sets `subscription`, and the other properties are thread-safe.
private final class Reading: @unchecked Sendable {
    private let seen = Guarded<[String]>([])
    private let hasEnded = DispatchSemaphore(value: 0)
    private let hasCome = DispatchSemaphore(value: 0)
    private(set) var subscription: any Disposable = Disposables.create()

    convenience init(
        _ descriptor: Int32, following: RxTimeInterval? = nil, _ onLine: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.init(Observable.lines(of: descriptor, following: following), onLine)
    }

    init(_ lines: Observable<String>, _ onLine: @escaping @Sendable (String) -> Void = { _ in }) {
        subscription = lines.subscribe { [seen, hasEnded, hasCome] event in
            switch event {
            case .next(let line):
                onLine(line)
                seen.withLock { $0.append(line) }
            case .error(let error): seen.withLock { $0.append("\(error)") }
            case .completed: seen.withLock { $0.append("|") }
            }
            hasCome.signal()
            if event.isStopEvent { hasEnded.signal() }
        }
    }

    var events: [String] { seen.withLock { $0 } }

    func all() -> [String] {
        hasEnded.wait()
        return events
    }

    func wait(for count: Int) -> [String] {
        while events.count < count { hasCome.wait() }
        return events
    }
}

private final class TestPipe: @unchecked Sendable {  // because each test uses it from one thread
    let reader: Int32
    private var writer: Int32?
    private var isReaderOpen = true
    private(set) var bytes = 0

    init() {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        precondition(pipe(&ends) == 0)
        reader = ends[0]
        writer = ends[1]
    }

    deinit {
        closeReader()
        closeWriter()
    }

    /// 1032 is `F_GETPIPE_SZ`, which Glibc's module omits.
    var capacity: Int { Int(fcntl(writer!, 1032)) }

    @discardableResult
    func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// If the pipe is non-blocking, writes only what fits. Returns whether the pipe has a reader.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(writer!, $0.baseAddress, $0.count) }
            if count < 0 { return errno == EAGAIN }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Writes until the pipe has had no room for one second. Returns the number of lines.
    func writeAsMuchAsFits(_ line: (Int) -> String) -> Int {
        _ = fcntl(writer!, F_SETFL, O_NONBLOCK)
        var number = 0
        while true {
            let text = Array(line(number).utf8)
            if systemWrite(writer!, text, text.count) == text.count {
                bytes += text.count
                number += 1
            } else {
                var waited = pollfd(fd: writer!, events: Int16(POLLOUT), revents: 0)
                if poll(&waited, 1, 1000) == 0 { return number }
            }
        }
    }

    func closeReader() {
        if isReaderOpen { close(reader) }
        isReaderOpen = false
    }

    func closeWriter() {
        if let writer { close(writer) }
        writer = nil
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

private final class TestFile: @unchecked Sendable {  // immutable
    let reader: Int32
    private let writer: Int32

    init() throws {
        var name = Array("/tmp/lines.XXXXXX".utf8CString)
        writer = mkstemp(&name)
        reader = open(name, O_RDONLY)
        unlink(name)
        try #require(writer >= 0 && reader >= 0)
    }

    deinit {
        close(reader)
        close(writer)
    }

    func append(_ text: String) {
        let bytes = Array(text.utf8)
        precondition(write(writer, bytes, bytes.count) == bytes.count)
    }
}
