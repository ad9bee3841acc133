internal import CRxCore
import RxSwift

package enum ControlPoint {
    /// Within an action of the program.
    package static func pass(_ place: StaticString) { crx_explore_point(place.cString) }

    /// Between two actions of the program.
    package static func mark(_ place: StaticString) { crx_explore_mark(place.cString) }
}
