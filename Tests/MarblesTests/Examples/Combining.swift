import RxSwift
import RxSwiftExt

extension Example {
    static let combining: [Example] = [
        Example("amb") { m in Observable.amb([m.a, m.b]) },
        Example("combine-latest") { m in Observable.combineLatest([m.a, m.b]) { $0.sum } },
        Example("concat") { m in m.a.concat(m.b) },
        Example("concat-sequence") { m in Observable.concat(m.a, m.b) },
        Example("merge") { m in Observable.merge(m.a, m.b) },
        Example("merge-max-concurrent") { m in Observable.from([m.a, m.b, m.c]).merge(maxConcurrent: 2) },
        Example("sample") { m in m.source.sample(m.sampler) },
        Example("start-with") { m in m.source.startWith(8, 9) },
        Example("if-empty-switch-to") { m in m.source.ifEmpty(switchTo: m.other) },
        Example("with-latest-from") { m in m.source.withLatestFrom(m.second) { $0 * 10 + $1 } },
        Example("zip") { m in Observable.zip([m.a, m.b]) { $0.sum } },
    ]
}
