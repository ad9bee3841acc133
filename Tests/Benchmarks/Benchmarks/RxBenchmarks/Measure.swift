import RxSwift
import Benchmark
import CAllocations

extension BenchmarkMetric {
    /// Heap allocations of the delivering thread, in thousandths for each operation: below 1 are those of the
    /// subscription.
    static let allocations = BenchmarkMetric.custom(
        "Allocations (m/op)", polarity: .prefersSmaller, useScalingFactor: false)
}

/// Measures one run of `body`, a thousand at a time. What `prepare` makes is not measured.
func measure<Prepared>(_ name: String, prepare: @escaping () -> Prepared, _ body: @escaping (Prepared) -> Void) {
    Benchmark(
        name,
        configuration: .init(
            metrics: [.instructions, .allocations], warmupIterations: 3, scalingFactor: .kilo, maxIterations: 100)
    ) { benchmark in
        let prepared = prepare()
        body(prepared)
        benchmark.startMeasurement()
        let before = allocations_of_this_thread()
        for _ in benchmark.scaledIterations { body(prepared) }
        let count = allocations_of_this_thread() - before
        benchmark.stopMeasurement()
        benchmark.measurement(.allocations, Int(count) * 1000 / benchmark.scaledIterations.count)
    }
}

/// One event for each operation, pushed into a subject that stands at the head of the chains `subscribe` makes.
func measureEvents(_ name: String, _ subscribe: @escaping (PublishSubject<Int>) -> any Disposable) {
    measure(name) {
        let subject = PublishSubject<Int>()
        return (subject, subscribe(subject))
    } _: { subject, _ in
        subject.onNext(1)
    }
}
