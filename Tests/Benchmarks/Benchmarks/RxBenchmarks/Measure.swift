import RxSwift
import Benchmark
import CAllocations

extension BenchmarkMetric {
    /// The delivering thread's heap allocations, in thousandths per operation.
    static let allocations = BenchmarkMetric.custom(
        "Allocations (m/op)", polarity: .prefersSmaller, useScalingFactor: false)
    static let allocated = BenchmarkMetric.custom(
        "Allocated (B/op)", polarity: .prefersSmaller, useScalingFactor: false)
}

/// Measures the average cost of a thousand runs of `body`, without the cost of `prepare`.
func measure<Prepared>(_ name: String, prepare: @escaping () -> Prepared, _ body: @escaping (Prepared) -> Void) {
    Benchmark(
        name,
        configuration: .init(
            metrics: [.instructions, .allocations, .allocated], warmupIterations: 3, scalingFactor: .kilo,
            maxDuration: .milliseconds(200), maxIterations: 100)
    ) { benchmark in
        let prepared = prepare()
        body(prepared)
        benchmark.startMeasurement()
        let before = allocations_of_this_thread()
        for _ in benchmark.scaledIterations { body(prepared) }
        let after = allocations_of_this_thread()
        benchmark.stopMeasurement()
        benchmark.measurement(.allocations, Int(after.count - before.count) * 1000 / benchmark.scaledIterations.count)
        benchmark.measurement(.allocated, Int(after.bytes - before.bytes) / benchmark.scaledIterations.count)
    }
}

func measureEvents(_ name: String, _ subscribe: @escaping (PublishSubject<Int>) -> any Disposable) {
    measure(name) {
        let subject = PublishSubject<Int>()
        return (subject, subscribe(subject))
    } _: { subject, _ in
        subject.onNext(1)
    }
}
