import RxSwift

/// What is wrong with the machine for long enough to say so.
enum Alarm: String, Encodable {
    case cpu, memory

    /// Above this share something is wrong.
    static let threshold = 0.9

    static func all(in vitals: Vitals) -> [Alarm] {
        (vitals.cpu.busy > threshold ? [.cpu] : []) + (vitals.memory.share > threshold ? [.memory] : [])
    }
}

/// What is shown at once: one picture of the table, one line of JSON.
struct Frame: Equatable {
    var vitals: Vitals
    var alarms: [Alarm]
}

extension ObservableType {
    /// Each element together with the one before it; the first has none and only begins.
    func pairs() -> Observable<(Element, Element)> {
        scan((nil, nil)) { pair, next in (pair.1, next) }
            .compactMap { (earlier: Element?, later: Element?) in
                guard let earlier, let later else { return nil }
                return (earlier, later)
            }
    }

    /// The elements on a scheduler that may stand still, as a terminal does: of those that wait for it the latest stay.
    func latest(_ count: Int, on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        observe(on: scheduler, buffering: .newest(count))
    }
}

/// The whole of rx-vitals between its clock and its output.
///
/// ```
/// interval ── map(read) ── pairs ── map(Vitals) ── share ─┬───────────────────────────────────────► combineLatest ── throttle ── frames
///                                                         └─ map(alarms) ── distinct ── debounce ──►
/// ```
struct Pipeline {
    var every: RxTimeInterval
    /// How long an alarm has to last before it is raised, and its absence before it is cleared.
    var hold: RxTimeInterval
    /// At most one frame in this time, so that a short `every` does not outrun the eye.
    var pace: RxTimeInterval
    /// Reads, computes and keeps the time: a serial scheduler.
    var scheduler: any SchedulerType

    /// Ends after `count` frames, or never.
    func frames(
        count: Int? = nil, read: @escaping @Sendable () -> Reading,
        vitals: @escaping @Sendable (Reading, Reading) -> Vitals
    ) -> Observable<Frame> {
        // The first reading is only there to count from.
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

    /// The alarms that are on, from none at the start. One that comes and goes within `hold` is never seen.
    func alarms(in signs: Observable<Vitals>) -> Observable<[Alarm]> {
        signs.map(Alarm.all)
            .distinctUntilChanged()
            .debounce(hold, scheduler: scheduler)
            .startWith([])
            .distinctUntilChanged()
    }
}
