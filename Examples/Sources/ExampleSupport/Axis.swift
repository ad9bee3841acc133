import Foundation

/// About five round numbers for an axis, from zero to at most `most`.
public func marks(upTo most: Double) -> [Double] {
    let rough = most / 5, power = pow(10, floor(log10(rough)))
    let step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= rough } ?? rough
    return Array(stride(from: 0, through: most, by: step))
}
