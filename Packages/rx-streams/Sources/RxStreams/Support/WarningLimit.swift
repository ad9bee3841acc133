import Synchronization

/// Limits the logged warnings of one kind to ten a minute.
///
/// Guards: `state` is protected by its lock. No other code is called while the lock is held.
package final class WarningLimit: Sendable {
    private struct Kind {
        let begun: ContinuousClock.Instant
        var logged = 0
        var omitted = 0
    }

    /// The maximum number of kinds; with more, all counts restart.
    private static let mostKinds = 1_024
    private static let most = 10
    private static let period = Duration.seconds(60)

    private let state = Mutex<[String: Kind]>([:])

    package init() {}

    /// Returns how many warnings of this kind were omitted since the last logged one; nil if this one must be omitted.
    package func admit(_ kind: String, at now: ContinuousClock.Instant = .now) -> Int? {
        state.withLock { kinds in
            if kinds[kind] == nil, kinds.count >= Self.mostKinds { kinds = [:] }
            var entry = kinds[kind] ?? Kind(begun: now)
            if now - entry.begun >= Self.period { entry = Kind(begun: now, omitted: entry.omitted) }
            defer { kinds[kind] = entry }
            guard entry.logged < Self.most else {
                entry.omitted += 1
                return nil
            }
            entry.logged += 1
            defer { entry.omitted = 0 }
            return entry.omitted
        }
    }
}
