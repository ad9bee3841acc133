import Foundation
import RxSwift
import RxSwiftExt
import RxTest

typealias Numbers = Observable<Int>

/// Builds a program's chain on a virtual clock, and returns its events.
final class Interpreter {
    /// The virtual clock. An action scheduled for now runs now, not one step later, as in RxPY.
    let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    private var sources: [Numbers] = []

    func run(_ program: Program) -> String {
        sources = program.sources.map(source)
        let observer = scheduler.start(created: 100, subscribed: 200, disposed: program.dispose) {
            self.build(program.chain)
        }
        return observer.events.map { "\(text($0.value))@\($0.time)" }.joined(separator: " ")
    }

    private func text(_ event: Event<Int>) -> String {
        switch event {
        case .next(let value): "\(value)"
        case .error(let error): "E\(name(error))"
        case .completed: "C"
        }
    }

    private func name(_ error: any Error) -> String {
        if let fault = error as? Fault { return "\(fault.number)" }
        switch error as? RxError {
        case .noElements: return "none"
        case .moreThanOneElement: return "many"
        case .argumentOutOfRange: return "range"
        case .timeout: return "timeout"
        default: return "\(error)"
        }
    }

    // MARK: sources

    private func source(_ source: Source) -> Numbers {
        let values = source.values ?? []
        switch source.kind {
        case "hot": return scheduler.createHotObservable(script(source)).asObservable()
        case "cold": return scheduler.createColdObservable(script(source)).asObservable()
        case "just": return .just(values[0])
        case "empty": return .empty()
        case "never": return .never()
        case "error": return .error(Fault(number: values[0]))
        case "create":
            return .create { observer in
                values.forEach(observer.onNext)
                observer.onCompleted()
                return Disposables.create()
            }
        case "range": return .range(start: values[0], count: values[1], scheduler: scheduler)
        case "generate":
            return .generate(
                initialState: values[0], condition: { $0 < values[1] }, scheduler: scheduler,
                iterate: { $0 + values[2] })
        case "timer": return Observable<Int>.timer(.seconds(values[0]), scheduler: scheduler)
        case "ticks":
            return Observable<Int>.timer(.seconds(values[0]), period: .seconds(values[1]), scheduler: scheduler)
        case "interval": return Observable<Int>.interval(.seconds(values[0]), scheduler: scheduler)
        default: fatalError("no source is called \(source.kind)")
        }
    }

    private func script(_ source: Source) -> [Recorded<Event<Int>>] {
        (source.events ?? []).map { event in
            switch event[1] {
            case 0: .next(event[0], event[2])
            case 1: .error(event[0], Fault(number: event[2]))
            default: .completed(event[0])
            }
        }
    }

    // MARK: chains

    private func build(_ chain: Chain) -> Numbers {
        chain.stages.reduce(sources[chain.source]) { upstream, stage in
            let arguments = Arguments(stage, others: (stage.with ?? []).map(build), scheduler: scheduler)
            guard
                let built = linear(upstream, stage.op, arguments) ?? partial(upstream, stage.op, arguments)
                    ?? combining(upstream, stage.op, arguments) ?? flattening(upstream, stage.op, arguments)
                    ?? sharing(upstream, stage.op, arguments) ?? timed(upstream, stage.op, arguments)
                    ?? added(upstream, stage.op, arguments) ?? spanning(upstream, stage.op, arguments)
            else { fatalError("no operator is called \(stage.op)") }
            return built
        }
    }
}

struct Arguments {
    let a: Int
    let b: Int
    let bomb: Int
    let others: [Numbers]
    let scheduler: TestScheduler

    init(_ stage: Stage, others: [Numbers], scheduler: TestScheduler) {
        a = stage.a ?? 0
        b = stage.b ?? 0
        bomb = stage.bomb ?? -1
        self.others = others
        self.scheduler = scheduler
    }

    var span: RxTimeInterval { .seconds(b) }

    func touch(_ value: Int) throws {
        if value % 7 == bomb { throw Fault(number: 70) }
    }

    /// One of the stage's other sequences, selected by `value`.
    func inner(_ value: Int) throws -> Numbers {
        try touch(value)
        return others[value % others.count]
    }
}

func fold(_ values: [Int]) -> Int {
    values.reduce(values.count) { ($0 * 31 + $1) % 1009 }
}
