import RxSwift

/// Which observers pause the source of a shared sequence. See ``RxSwift/ObservableType/share(flow:)``.
public enum SharedFlow: Sendable {
    /// The source pauses while at least one observer is paused.
    case slowest
}

extension ObservableType {
    /// Shares one subscription to this sequence among all observers. The slowest observer paces the source.
    ///
    ///     range(start: 1, count: 3).share(flow: .slowest), an observer: 1-2-3-|
    ///     a bounded observer that takes 2 columns for each element:     --1-2-3-|
    ///
    /// ![Both observers at the pace of the second one](marble-share-flow)
    ///
    ///     let rows = Observable.from(table).share(flow: .slowest)
    ///     rows.observe(on: disk, buffering: .pausing(64)).subscribe(onNext: store).disposed(by: bag)
    ///     rows.observe(on: network, buffering: .pausing(64)).subscribe(onNext: send).disposed(by: bag)
    ///
    /// As with `share()`, the first observer subscribes to the source, and the last one disposes of it. Events are
    /// delivered on the sending thread, to the observers in the order of their subscription. An error or the completion
    /// goes to all observers; a later observer starts a new subscription. Nothing is replayed.
    ///
    /// Pausing: the source pauses while at least one observer in a bounded subscription is paused. It resumes on the
    /// scheduler on which the first observer's subscription resumes. If the source cannot pause, a paused observer
    /// fails with `FlowError.overflow` when its waiting elements exceed its bound by more than 16 384.
    public __consuming func share(flow: SharedFlow) -> Observable<Element> {
        switch flow {
        case .slowest: sharePaced()
        }
    }
}
