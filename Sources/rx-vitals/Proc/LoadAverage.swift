/// The average number of tasks that ran, waited to run, or were in uninterruptible sleep.
struct LoadAverage: Equatable, Encodable {
    var oneMinute = 0.0
    var fiveMinutes = 0.0
    var fifteenMinutes = 0.0
}

extension LoadAverage {
    static func parse(_ text: String) -> LoadAverage {
        let numbers = (fields(of: text).first ?? []).prefix(3).compactMap { Double($0) }
        guard numbers.count == 3 else { return LoadAverage() }
        return LoadAverage(oneMinute: numbers[0], fiveMinutes: numbers[1], fifteenMinutes: numbers[2])
    }
}
