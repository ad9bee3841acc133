import RxSwift

extension Table {
    static let timingRows: [Row] = [
        Row("throttle(_:latest:scheduler:)", "latest") { $0.a.throttle(.seconds(1), scheduler: $0.scheduler) },
        Row("throttle(_:latest:scheduler:)", "first") {
            $0.a.throttle(.seconds(1), latest: false, scheduler: $0.scheduler)
        },
        Row("debounce(_:scheduler:)") { $0.a.debounce(.seconds(1), scheduler: $0.scheduler) },
        Row("delay(_:scheduler:)", "", [.exact]) { $0.a.delay(.seconds(1), scheduler: $0.scheduler) },
        Row("delaySubscription(_:scheduler:)", "at once", [.exact]) {
            $0.a.delaySubscription(.seconds(0), scheduler: $0.scheduler)
        },
        Row("timeout(_:scheduler:)", "", [.exact]) { $0.a.timeout(.seconds(1000), scheduler: $0.scheduler) },
        Row("timeout(_:other:scheduler:)", "", [.exact]) { rig in
            let other = Observable.just(rig.make())
            return rig.a.timeout(.seconds(1000), other: other, scheduler: rig.scheduler)
        },
        Row("timeout(_:other:scheduler:)", "fires", [.endsItself]) { rig in
            let (source, other) = (rig.a, rig.b)
            return source.timeout(.milliseconds(1), other: other, scheduler: rig.scheduler)
        },
        Row("take(for:scheduler:)", "", [.endsItself]) { $0.a.take(for: .seconds(10), scheduler: $0.scheduler) },
        Row("skip(_:scheduler:)") { $0.a.skip(.seconds(1), scheduler: $0.scheduler) },
        Row("buffer(timeSpan:count:scheduler:)") {
            $0.a.buffer(timeSpan: .seconds(1), count: 2, scheduler: $0.scheduler)
        },
        Row("window(timeSpan:count:scheduler:)") {
            $0.a.window(timeSpan: .seconds(1), count: 2, scheduler: $0.scheduler)
        },
        Row("window(timeSpan:count:scheduler:)", "flattened", [.exact]) {
            $0.a.window(timeSpan: .seconds(1), count: 2, scheduler: $0.scheduler).flatMap { $0 }
        },
        Row("groupBy(keySelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.groupBy { element in
                try hook()
                return element.value % 2
            }
        },
        Row("groupBy(keySelector:)", "flattened", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.groupBy { element in
                try hook()
                return element.value % 2
            }.flatMap { $0 }
        },
    ]
}
