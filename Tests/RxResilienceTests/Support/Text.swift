#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The text of a file.
func text(of path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
}
