// Runs the code of comments.
import Foundation
import RxSwift

/// Fails if the code throws or does not end.
func ran(_ place: String, _ code: @Sendable () async throws -> Void) async {
    print(place)
    let watch = DispatchWorkItem { end(place, "it has not ended after 30 s") }
    DispatchQueue.global().asyncAfter(deadline: .now() + 30, execute: watch)
    do { try await code() } catch { end(place, "it fails with \(error)") }
    watch.cancel()
}

/// Runs a block for at most two seconds, as if it were main.swift. An error may end it. Fails if the code blocks the
/// main thread.
@MainActor func pasted(_ place: String, _ code: @escaping @MainActor () async throws -> Void) async {
    print(place)
    fflush(nil)  // a trap would lose the output
    let watch = DispatchWorkItem { end(place, "it has blocked the main thread for 20 s") }
    DispatchQueue.global().asyncAfter(deadline: .now() + 20, execute: watch)
    let (endings, continuation) = AsyncStream<Void>.makeStream()
    let block = Task {
        do { try await code() } catch { print("\(place) ended with \(error)") }
        try? await Task.sleep(for: .milliseconds(100))
        continuation.finish()
    }
    let limit = Task {
        try await Task.sleep(for: .seconds(2))
        block.cancel()
        continuation.finish()
    }
    for await _ in endings {}
    limit.cancel()
    watch.cancel()
}

/// A block of a package's page: its preparation, the use of its declarations, and its expected effects.
struct Block: Sendable {
    var before: @MainActor @Sendable () async throws -> Void = {}
    var uses: @MainActor @Sendable () async throws -> Void = {}
    /// The required events: the arguments of `happened`.
    var happens: Set<String> = []
    /// After this event the process gets SIGTERM, and the block must end.
    var sigtermAfter: String?
}

private let events = ReplaySubject<String>.createUnbounded()

/// Records an event. Called by the functions that a page uses without declaring them.
func happened(_ event: String) {
    print("happened:", event)
    fflush(nil)  // a trap would lose the output
    events.onNext(event)
}

func untilHappened(_ missing: Set<String>) async throws {
    var missing = missing
    if missing.isEmpty { return }
    for try await event in events.values {
        missing.remove(event)
        if missing.isEmpty { return }
    }
}

/// Runs one block of a package's page as if it were main.swift, in its own process. The block must end within 30
/// seconds without an error, and all its expected events must happen.
@MainActor func alone(_ place: String, _ block: Block, _ code: @MainActor () async throws -> Void) async {
    print(place)
    let watch = DispatchWorkItem {
        print("expected:", block.happens.sorted())
        end(place, "it has not ended after 30 s, or something has not happened")
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 30, execute: watch)
    do {
        try await block.before()
        let signal = Task.detached {
            guard let event = block.sigtermAfter else { return }
            try await untilHappened([event])
            kill(getpid(), SIGTERM)
        }
        try await code()
        try await block.uses()
        try await untilHappened(block.happens)
        try await signal.value
    } catch {
        end(place, "it fails with \(error)")
    }
    watch.cancel()
}

/// Subscribes to each sequence among `values`, in turn. Each sequence, except a completable, must send an element. The
/// sequence must then end, or send nothing for a moment.
func examined(_ values: Any..., isolation: isolated (any Actor)? = #isolation) async throws {
    for case let sequence as any ObservableConvertibleType in values { try await examine(sequence, isolation) }
}

private func examine<Sequence: ObservableConvertibleType>(
    _ sequence: Sequence, _ isolation: isolated (any Actor)?
) async throws {
    let sent = PublishSubject<Void>()
    let elements = sequence.asObservable().map { _ in }.do(afterNext: sent.onNext)
        .take(until: sent.debounce(.milliseconds(100), scheduler: scheduler))
    var isEmpty = true
    for try await _ in elements.values { isEmpty = false }
    if isEmpty, Sequence.Element.self != Never.self { throw Nothing() }
}

private struct Nothing: Error, CustomStringConvertible {
    var description: String { "no element at all" }
}

private func end(_ place: String, _ reason: String) -> Never {
    print("\(place): error: \(reason)")
    exit(1)
}
