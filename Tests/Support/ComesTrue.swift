import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Whether something comes true that other threads see to. The calling thread waits for it, but not for ever.
package func comesTrue(within seconds: Double = 30, _ condition: () -> Bool) -> Bool {
    let deadline = DispatchTime.now() + seconds
    while !condition() {
        if .now() > deadline { return condition() }
        usleep(500)
    }
    return true
}
