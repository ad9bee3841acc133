import RxResilience
import RxSwift

extension Table {
    static let schedulingRows: [Row] = [
        Row("observe(on:)", "virtual", [.exact]) { $0.a.observe(on: $0.scheduler) },
        Row("observe(on:)", "serial queue", [.exact]) { $0.a.observe(on: $0.serial()) },
        Row("observe(on:)", "current thread", [.exact]) { $0.a.observe(on: CurrentThreadScheduler.instance) },
        Row("observe(on:buffering:)", "virtual", [.exact]) { rig in
            rig.a.observe(on: rig.scheduler, buffering: .pausing(100_000))
        },
        Row("observe(on:buffering:)", "serial queue", [.exact]) { rig in
            rig.a.observe(on: rig.serial(), buffering: .pausing(100_000))
        },
        Row("observe(on:buffering:)", "newest") { $0.a.observe(on: $0.serial(), buffering: .newest(2)) },
        Row("observe(on:buffering:)", "oldest") { $0.a.observe(on: $0.scheduler, buffering: .oldest(2)) },
        Row("observe(on:buffering:)", "failing", [.exact]) { rig in
            rig.a.observe(on: rig.serial(), buffering: .failing(100_000))
        },
        Row("bounded(_:)", "", [.exact]) { $0.a.bounded(100_000) },
        Row("bounded(_:)", "limit", [.exact]) { $0.a.bounded(QueueLimit(100_000)) },
        Row("bounded(_:)", "merge", [.exact]) { rig in Observable.merge(rig.sources(2)).bounded(100_000) },
        Row("bounded(_:)", "hop", [.exact]) { rig in rig.a.observe(on: rig.serial()).bounded(100_000) },
        Row("subscribe(on:)", "virtual", [.exact]) { $0.a.subscribe(on: $0.scheduler) },
        Row("subscribe(on:)", "serial queue", [.exact]) { $0.a.subscribe(on: $0.serial()) },
        Row("subscribed(in:deliveredIn:)", "", [.exact]) { $0.a.subscribed(in: { $0() }, deliveredIn: { $0() }) },
        Row("subscribed(in:deliveredIn:)", "in", [.exact]) { $0.a.subscribed(in: { $0() }) },
    ]
}
