import AsyncAlgorithms
import OpenCombine
import RxSwift

// These functions feed the numbers from 0 into a contender's chain and add the results to a tally.

func rxPushed<Element: Arrival>(_ chain: @escaping (PublishSubject<Int>) -> Observable<Element>) -> Row.Work {
    { count in
        let (subject, tally) = (PublishSubject<Int>(), Tally())
        let subscription = chain(subject).subscribe(onNext: { tally.add($0) })
        for number in 0..<count { subject.onNext(number) }
        subscription.dispose()
        return tally.sum
    }
}

func rxCold<Element: Arrival>(_ chain: @escaping (_ count: Int) -> Observable<Element>) -> Row.Work {
    { count in
        let tally = Tally()
        chain(count).subscribe(onNext: { tally.add($0) }).dispose()
        return tally.sum
    }
}

func combinePushed<P: Publisher>(_ chain: @escaping (PassthroughSubject<Int, Never>) -> P) -> Row.Work
where P.Output: Arrival, P.Failure == Never {
    { count in
        let (subject, tally) = (PassthroughSubject<Int, Never>(), Tally())
        let subscription = chain(subject).sink { tally.add($0) }
        for number in 0..<count { subject.send(number) }
        subscription.cancel()
        return tally.sum
    }
}

func combineCold<P: Publisher>(_ chain: @escaping (_ count: Int) -> P) -> Row.Work
where P.Output: Arrival, P.Failure == Never {
    { count in
        let tally = Tally()
        chain(count).sink { tally.add($0) }.cancel()
        return tally.sum
    }
}

func rxEach(_ chain: @escaping () -> Observable<Int>) -> Row.Work {
    { count in
        let tally = Tally()
        for _ in 0..<count { chain().subscribe(onNext: { tally.add($0) }).dispose() }
        return tally.sum
    }
}

func combineEach<P: Publisher>(_ chain: @escaping () -> P) -> Row.Work where P.Output: Arrival, P.Failure == Never {
    { count in
        let tally = Tally()
        for _ in 0..<count { chain().sink { tally.add($0) }.cancel() }
        return tally.sum
    }
}

func asyncEach<S: AsyncSequence<Int, Never>>(_ chain: @escaping () -> S) -> Row.AsyncWork {
    { count in
        let tally = Tally()
        for _ in 0..<count {
            for await number in chain() { tally.add(number) }
        }
        return tally.sum
    }
}

func eachByHand(_ body: @escaping (@escaping ByHand.Next) -> Void) -> Row.Work {
    { count in
        let tally = Tally()
        for _ in 0..<count { body { tally.add($0) } }
        return tally.sum
    }
}

/// Fills an `AsyncStream` before it is read. This is the best case, because no task waits for another task.
func filled(_ count: Int) -> AsyncStream<Int> {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    for number in 0..<count { continuation.yield(number) }
    continuation.finish()
    return stream
}

func asyncPushed<S: AsyncSequence>(_ chain: @escaping (AsyncStream<Int>) -> S) -> Row.AsyncWork
where S.Element: Arrival, S.Failure == Never {
    asyncCold { chain(filled($0)) }
}

func asyncCold<S: AsyncSequence>(_ chain: @escaping (_ count: Int) -> S) -> Row.AsyncWork
where S.Element: Arrival, S.Failure == Never {
    { count in
        let tally = Tally()
        for await number in chain(count) { tally.add(number) }
        return tally.sum
    }
}

func pushedByHand(_ chain: @escaping (@escaping ByHand.Next) -> ByHand.Next) -> Row.Work {
    { count in
        let (source, tally) = (ByHand.Source(), Tally())
        source.subscribe(chain { tally.add($0) })
        for number in 0..<count { source.send(number) }
        return tally.sum
    }
}
