import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Waits until other threads make `condition` true. Returns false after a time limit.
package func comesTrue(within seconds: Double = 30, _ condition: () -> Bool) -> Bool {
    let deadline = DispatchTime.now() + seconds
    while !condition() {
        if .now() > deadline { return condition() }
        usleep(500)
    }
    return true
}
