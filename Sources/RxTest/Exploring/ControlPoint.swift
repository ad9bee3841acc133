internal import CRxCore
import RxSwift

package enum ControlPoint {
    /// A control point within an action of the program.
    package static func pass(_ place: StaticString) { crx_explore_point(place.cString) }

    /// A control point between two actions of the program.
    package static func mark(_ place: StaticString) { crx_explore_mark(place.cString) }
}
