// Runs the code of comments. A reader does not see it.
import Foundation
import RxSwift

/// Runs the code at `place`. Fails if the code throws or does not end.
func ran(_ place: String, _ code: @Sendable () async throws -> Void) async {
    print(place)
    let watch = DispatchWorkItem { end(place, "it has not ended after 30 s") }
    DispatchQueue.global().asyncAfter(deadline: .now() + 30, execute: watch)
    do { try await code() } catch { end(place, "it fails with \(error)") }
    watch.cancel()
}

/// Runs the code of a block for two seconds at most, as if it were main.swift. An error may end it. It fails if it
/// blocks the main thread.
@MainActor func pasted(_ place: String, _ code: @escaping @MainActor () async throws -> Void) async {
    print(place)
    fflush(nil)  // a trap would lose it
    let watch = DispatchWorkItem { end(place, "it has blocked the main thread for 20 s") }
    DispatchQueue.global().asyncAfter(deadline: .now() + 20, execute: watch)
    let (endings, continuation) = AsyncStream<Void>.makeStream()
    let block = Task {
        do { try await code() } catch { print("\(place) ended with \(error)") }
        // Schedulers may have work left.
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

/// Subscribes to each sequence among `values`, one after another. Each must end, or send something and then nothing for
/// a moment.
func examined(_ values: Any...) async throws {
    for case let sequence as any ObservableConvertibleType in values { try await examine(sequence) }
}

private func examine<Sequence: ObservableConvertibleType>(_ sequence: Sequence) async throws {
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
