/// Converts between steps of a virtual clock and spans of time.
struct ClockSteps {
    private enum Length {
        /// Steps that divide a second evenly. Whole seconds are exact, and only fractions are rounded to nanoseconds,
        /// so errors do not add up.
        case partOfSecond(stepsPerSecond: Int)
        case other(Duration)
    }

    private let length: Length
    private let seconds: Double

    /// - Parameter resolution: the length of one step, in seconds.
    init(resolution: Double) {
        if !resolution.isFinite { TestSchedulerVirtualTimeConverter.refuse(resolution) }
        seconds = resolution
        let perSecond = (1 / resolution).rounded()
        if perSecond >= 1, perSecond <= 1e9, abs(perSecond * resolution - 1) < 1e-12 {
            length = .partOfSecond(stepsPerSecond: Int(perSecond))
        } else {
            length = .other(.seconds(resolution))
        }
    }

    func offset(of step: TestTime) -> Duration {
        switch length {
        case .partOfSecond(let perSecond):
            let (whole, rest) = step.quotientAndRemainder(dividingBy: perSecond)
            return .seconds(whole) + .nanoseconds(Int64((Double(rest) * 1e9 / Double(perSecond)).rounded()))
        case .other(let duration):
            return duration * step
        }
    }

    /// The first step not before `offset`; `TestTime.max` or `.min` if `offset` is too far away.
    func first(notBefore offset: Duration) -> TestTime {
        let estimate = (offset / .seconds(1) / seconds).rounded()
        // A step above 2^53 is never reached; a step below -2^53 is in the past.
        guard abs(estimate) < 0x1p53 else { return estimate > 0 ? .max : .min }
        var step = TestTime(estimate)
        while self.offset(of: step) < offset { step += 1 }
        while self.offset(of: step - 1) >= offset { step -= 1 }
        return step
    }
}
