internal import CRxCore

final class AtomicCount: @unchecked Sendable {  // because its one word is atomic
    // The first stored property, because `FlagAndLock.flag(of: self)` returns its address.
    private let word = crx_flag()

    var value: Int { Int(bitPattern: crx_flag_load_relaxed(FlagAndLock.flag(of: self))) }

    @discardableResult
    func add(_ difference: Int) -> Int {
        Int(bitPattern: crx_flag_fetch_add_acq_rel(FlagAndLock.flag(of: self), UInt(bitPattern: difference)))
    }
}
