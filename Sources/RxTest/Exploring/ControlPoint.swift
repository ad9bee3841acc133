internal import CRxCore
import RxSwift

/// The control points of an ``ExploredWorld``.
enum ControlPoint {
    /// Within an action of the program.
    static func pass(_ place: StaticString) { crx_explore_point(place.cString) }

    /// Between two actions of the program.
    static func mark(_ place: StaticString) { crx_explore_mark(place.cString) }
}
