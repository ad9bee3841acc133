import InMemoryLogging
import InMemoryTracing
import Logging
import RxObservability
import RxTest
import Testing
import Tracing

struct TracedTests {
    private let tracer = InMemoryTracer()
    private let scheduler = TestScheduler.milliseconds()
    private let source = PublishSubject<Int>()

    private func span(_ name: String) throws -> FinishedInMemorySpan {
        try #require(tracer.finishedSpans.first { $0.operationName == name })
    }

    /// Returns the name of a span's parent. Both spans must have ended.
    private func parent(of name: String) throws -> String? {
        let parent = try span(name).parentSpanID
        return tracer.finishedSpans.first { $0.spanID == parent }?.operationName
    }

    private static var current: String? { ServiceContext.current?.inMemorySpanContext?.spanID }

    @Test func spanLastsFromSubscriptionToEnd() throws {
        let subscription = source.traced("charge", tracer, kind: .client, attributes: ["order": 7]).subscribe()
        #expect(tracer.activeSpans.map(\.operationName) == ["charge"])
        source.onNext(1)
        #expect(tracer.finishedSpans.isEmpty)
        source.onCompleted()
        subscription.dispose()
        #expect(tracer.activeSpans.isEmpty)
        #expect(tracer.finishedSpans.count == 1)
        let span = try span("charge")
        #expect(span.kind == .client)
        #expect(span.attributes.get("order") == .int64(7))
        #expect(span.status == nil)
        #expect(span.errors.isEmpty)
        #expect(span.attributes.get("rx.cancelled") == nil)
    }

    @Test func eachSubscriptionHasASpan() {
        let traced = source.traced("charge", tracer)
        let subscriptions = [traced.subscribe(), traced.subscribe()]
        source.onCompleted()
        subscriptions.forEach { $0.dispose() }
        #expect(Set(tracer.finishedSpans.map(\.spanID)).count == 2)
    }

    @Test func errorIsRecorded() throws {
        let subscription = source.traced("charge", tracer).subscribe(onError: { _ in })
        source.onError(Declined())
        subscription.dispose()
        let span = try span("charge")
        #expect(span.errors.map { $0.error is Declined } == [true])
        #expect(span.status?.code == .error)
    }

    @Test func disposedSubscriptionIsMarked() throws {
        source.traced("charge", tracer).subscribe().dispose()
        #expect(try span("charge").attributes.get("rx.cancelled") == .bool(true))
        #expect(tracer.finishedSpans.count == 1)
    }

    @Test func spanIsChildOfSubscribingSpan() throws {
        tracer.withSpan("request") { _ in
            _ = Observable.just(1).traced("charge", tracer).subscribe()
        }
        #expect(try parent(of: "charge") == "request")
        #expect(try span("charge").traceID == span("request").traceID)
    }

    @Test func innerSubscriptionIsChildAcrossHops() throws {
        let source = scheduler.createHotObservable([.next(10, 1), .completed(20)])
        let subscription = source.observe(on: scheduler)
            .flatMap { [tracer, scheduler] order in
                Observable.just(order).delay(.milliseconds(5), scheduler: scheduler)
                    .flatMap { Observable.just($0).traced("leaf", tracer) }
                    .traced("inner", tracer)
            }
            .traced("outer", tracer)
            .subscribe()
        scheduler.start()
        subscription.dispose()
        #expect(try parent(of: "leaf") == "inner")
        #expect(try parent(of: "inner") == "outer")
        #expect(try span("outer").parentSpanID == nil)
    }

    @Test func coldSourceLoopsRunInTheirSpan() throws {
        _ = Observable.of(1, 2)
            .concatMap { [tracer] _ in
                Observable.of(1, 2).flatMap { Observable.of($0).traced("leaf", tracer) }.traced("inner", tracer)
            }
            .traced("outer", tracer)
            .subscribe()
        #expect(tracer.finishedSpans.filter { $0.operationName == "leaf" }.count == 4)
        let names = Dictionary(uniqueKeysWithValues: tracer.finishedSpans.map { ($0.spanID, $0.operationName) })
        for leaf in tracer.finishedSpans where leaf.operationName == "leaf" {
            #expect(leaf.parentSpanID.flatMap { names[$0] } == "inner")
        }
        for inner in tracer.finishedSpans where inner.operationName == "inner" {
            #expect(inner.parentSpanID.flatMap { names[$0] } == "outer")
        }
    }

    @Test func pausedSourceResumesInItsSpan() throws {
        let subscription = Observable.range(start: 1, count: 20)
            .flatMap { [tracer] in Observable.just($0).traced("leaf", tracer) }
            .traced("outer", tracer)
            .observe(on: scheduler)
            .bounded(2)
            .subscribe()
        scheduler.start()
        subscription.dispose()
        let outer = try span("outer").spanID
        let leaves = tracer.finishedSpans.filter { $0.operationName == "leaf" }
        #expect(leaves.count == 20)
        #expect(leaves.allSatisfy { $0.parentSpanID == outer })
    }

    @Test func downstreamHasContextOfSubscriber() throws {
        nonisolated(unsafe) var seen: [String?] = []
        var request: String?
        tracer.withSpan("request") { span in
            request = span.spanID
            _ = Observable.just(1).delay(.milliseconds(5), scheduler: scheduler).traced("first", tracer)
                .do(onNext: { _ in seen.append(Self.current) })
                .concat(Observable.just(2).delay(.milliseconds(5), scheduler: scheduler).traced("second", tracer))
                .subscribe(onNext: { _ in seen.append(Self.current) }, onCompleted: { seen.append(Self.current) })
        }
        scheduler.start()
        #expect(try parent(of: "first") == "request")
        #expect(try parent(of: "second") == "request")
        #expect(seen.count == 4)
        #expect(seen.allSatisfy { $0 == request })
    }

    @Test func downstreamHasNoContextIfSubscriberHasNone() throws {
        nonisolated(unsafe) var seen: [String?] = []
        _ = Observable.just(1).traced("first", tracer)
            .do(onNext: { _ in seen.append(Self.current) })
            .concat(Observable.just(2).traced("second", tracer))
            .subscribe()
        #expect(seen == [nil])
        #expect(try span("second").parentSpanID == nil)
    }

    @Test func singleSpanEndsBeforeItsElement() throws {
        nonisolated(unsafe) var active: Int?
        let single = Single.just(1).traced("charge", tracer)
        _ = single.subscribe(onSuccess: { _ in active = tracer.activeSpans.count })
        #expect(active == 0)
        #expect(try span("charge").attributes.get("rx.cancelled") == nil)
    }

    @Test func maybeSpanEndsBeforeItsElement() throws {
        nonisolated(unsafe) var active: Int?
        let maybe = Maybe.just(1).traced("charge", tracer)
        _ = maybe.subscribe(onSuccess: { _ in active = tracer.activeSpans.count })
        #expect(active == 0)
        #expect(try span("charge").attributes.get("rx.cancelled") == nil)
    }

    @Test func singleSpanHasGivenKindAndAttributes() throws {
        _ = Single.just(1).traced("charge", tracer, kind: .client, attributes: ["order": 7]).subscribe()
        #expect(try span("charge").kind == .client)
        #expect(try span("charge").attributes.get("order") == .int64(7))
    }

    @Test func otherTraitsAreTraced() throws {
        _ = Maybe<Int>.empty().traced("maybe", tracer).subscribe()
        _ = Completable.error(Declined()).traced("completable", tracer).subscribe(onError: { _ in })
        _ = Infallible.of(1, 2).traced("infallible", tracer).subscribe()
        #expect(tracer.finishedSpans.map(\.operationName) == ["maybe", "completable", "infallible"])
        #expect(try span("completable").errors.count == 1)
    }

    @Test func contextIsCarriedForLoggerMetadata() {
        Hooks.carryServiceContext()
        let log = TestLog(provider: Logger.MetadataProvider { ["span": "\(Self.current ?? "none")"] })
        var request = ""
        tracer.withSpan("request") { span in
            request = span.spanID
            _ = Observable.just(1).delay(.milliseconds(5), scheduler: scheduler).logged(log.logger).subscribe()
        }
        scheduler.start()
        #expect(log.messages == ["subscribed", "next 1", "completed"])
        #expect(log.handler.entries.allSatisfy { $0.metadata["span"] == "\(request)" })
    }

    @Test func earlierHookIsStillCalled() async {
        await #expect(processExitsWith: .success) {
            Hooks.captureContext = {
                let id = Trace.id
                return { body in Trace.$id.withValue(id, operation: body) }
            }
            Hooks.carryServiceContext()
            Hooks.carryServiceContext()
            let (tracer, scheduler) = (InMemoryTracer(), TestScheduler(initialClock: 0))
            nonisolated(unsafe) var seen: [Bool] = []
            Trace.$id.withValue("trace") {
                _ = Observable.just(1, scheduler: scheduler).subscribe(onNext: { _ in seen.append(Trace.id == "trace") }
                )
                tracer.withSpan("request") { span in
                    let id = span.spanID
                    _ = Observable.just(1, scheduler: scheduler)
                        .subscribe(onNext: { _ in
                            seen.append(
                                Trace.id == "trace" && ServiceContext.current?.inMemorySpanContext?.spanID == id)
                        })
                }
            }
            scheduler.start()
            precondition(seen == [true, true], "\(seen)")
        }
    }
}

private enum Trace {
    @TaskLocal static var id = "none"
}
