#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

func text(of path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
}
