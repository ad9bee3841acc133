#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Whether this build has a sanitizer, which makes stack frames larger and code slower.
package let isSanitized = ["__tsan_init", "__asan_init"].contains { (name: String) in dlsym(nil, name) != nil }
