internal import CRxCore

/// Control points of a world. A static string, because its address identifies the place, and is used after the call.
enum ControlPoint {
    /// Within an action of the program.
    static func pass(_ place: StaticString) { crx_explore_point(text(place)) }

    /// Between two actions of the program.
    static func mark(_ place: StaticString) { crx_explore_mark(text(place)) }

    private static func text(_ place: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(place.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
