import RxSwift

/// A problem that is reported if it lasts.
enum Alarm: String, Encodable {
    case cpu, memory

    static let threshold = 0.9

    static func all(in vitals: Vitals) -> [Alarm] {
        (vitals.cpu.busy > threshold ? [.cpu] : []) + (vitals.memory.share > threshold ? [.memory] : [])
    }
}

/// One update of the table, or one line of JSON.
struct Frame: Equatable {
    var vitals: Vitals
    var alarms: [Alarm]
}

extension ObservableType {
    func pairs() -> Observable<(Element, Element)> {
        scan((nil, nil)) { pair, next in (pair.1, next) }
            .compactMap { (earlier: Element?, later: Element?) in
                guard let earlier, let later else { return nil }
                return (earlier, later)
            }
    }

    func latest(_ count: Int, on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        observe(on: scheduler, buffering: .newest(count))
    }
}

/// The pipeline of rx-vitals between its clock and its output.
///
/// ```
/// interval ── map(read) ── pairs ── map(Vitals) ── share ─┬───────────────────────────────────────► combineLatest ── throttle ── frames
///                                                         └─ map(alarms) ── distinct ── debounce ──►
/// ```
struct Pipeline {
    var every: RxTimeInterval
    /// An alarm is raised when its problem has lasted for this time, and cleared when the problem has been absent for
    /// this time.
    var hold: RxTimeInterval
    /// The minimum time between two frames.
    var pace: RxTimeInterval
    /// A serial scheduler for the readings, the calculations and the time.
    var scheduler: any SchedulerType

    /// A sequence of frames that ends after `count` + 1 readings, or never if `count` is nil.
    func frames(
        count: Int? = nil, read: @escaping @Sendable () -> Reading,
        vitals: @escaping @Sendable (Reading, Reading) -> Vitals
    ) -> Observable<Frame> {
        // The first reading is the baseline for the first rates.
        let ticks = Observable<Int>.interval(every, scheduler: scheduler).startWith(0)
        let signs = (count.map { ticks.take($0 + 1) } ?? ticks)
            .observe(on: scheduler)
            .map { _ in read() }
            .pairs()
            .map(vitals)
            .share(replay: 1)

        return Observable.combineLatest(signs, alarms(in: signs), resultSelector: Frame.init)
            .throttle(pace, scheduler: scheduler)
    }

    /// The active alarms, at first none.
    func alarms(in signs: Observable<Vitals>) -> Observable<[Alarm]> {
        signs.map(Alarm.all)
            .distinctUntilChanged()
            .debounce(hold, scheduler: scheduler)
            .startWith([])
            .distinctUntilChanged()
    }
}
