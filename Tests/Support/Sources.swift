import RxTest

extension TestScheduler {
    /// A hot source made from a marble string, with `TestError.a` as `#`.
    package func hot(
        _ marbles: String, values: [Character: Int] = [:], from origin: TestTime = Defaults.subscribed
    ) -> TestableObservable<Int> {
        createHotObservable(marbles, values: values, error: TestError.a, from: origin)
    }

    package func cold(_ marbles: String, values: [Character: Int] = [:]) -> TestableObservable<Int> {
        createColdObservable(marbles, values: values, error: TestError.a)
    }
}
