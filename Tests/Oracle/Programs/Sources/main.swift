import Foundation
import RxSwift
import RxTest

setvbuf(stdout, nil, _IOFBF, 1 << 16)

struct FE: Error { let n: Int }

nonisolated(unsafe) var aliveV = 0
nonisolated(unsafe) var aliveT = 0
nonisolated(unsafe) var onDeinit: ((Int) -> Void)?

final class V: Hashable, CustomStringConvertible, Comparable, @unchecked Sendable {
    let n: Int
    init(_ n: Int) { self.n = n; aliveV += 1 }
    deinit { aliveV -= 1; onDeinit?(n) }
    static func == (a: V, b: V) -> Bool { a.n == b.n }
    static func < (a: V, b: V) -> Bool { a.n < b.n }
    func hash(into h: inout Hasher) { h.combine(n) }
    var description: String { "\(n)" }
}

final class Tracker: @unchecked Sendable {
    init() { aliveT += 1 }
    deinit { aliveT -= 1; onDeinit?(0) }
}

let tracing = getenv("RX_RANDOM_TRACE") != nil
func trace(_ s: String) { FileHandle.standardError.write((s + " ").data(using: .utf8)!) }

final class Choices {
    let a: [Int]
    var i = 0
    init(_ a: [Int]) { self.a = a }
    func next(_ n: Int) -> Int {
        let v = i < a.count ? a[i] : 0
        i += 1
        return v % n
    }
}

func text(_ e: Error) -> String {
    if let e = e as? FE { return "F\(e.n)" }
    if let e = e as? RxError {
        switch e {
        case .timeout: return "timeout"
        case .noElements: return "noElements"
        case .moreThanOneElement: return "moreThanOne"
        case .argumentOutOfRange: return "outOfRange"
        case .disposed: return "disposed"
        default: return "rx"
        }
    }
    return "\(e)"
}

final class Res: Disposable {
    let f: () -> Void
    init(_ f: @escaping () -> Void) { self.f = f }
    func dispose() { f() }
}

final class Sub {
    var d: Disposable?
    var disposed = false
    var ended = false
}

final class Env: @unchecked Sendable {
    let c: Choices
    let sch = TestScheduler(initialClock: 0)
    var log: [String] = []
    let p0 = PublishSubject<V>(), p1 = PublishSubject<V>()
    let b = BehaviorSubject<V>(value: V(50))
    let r = ReplaySubject<V>.create(bufferSize: 2)
    let a = AsyncSubject<V>()
    var acts = 10
    var budget = 1500
    var subs: [Sub] = []
    var roots: [Observable<V>] = []
    var serial = 100
    let throwing: Bool, acting: Bool, noting: Bool, disposing: Bool, timed: Bool, hotOnly: Bool, noBuffers: Bool,
        deinits: Bool
    var names = 0
    init(_ c: Choices, mode: Int) {
        self.c = c
        throwing = mode & 1 != 0
        acting = mode & 2 != 0
        noting = mode & 4 != 0
        disposing = mode & 8 != 0
        timed = mode & 16 == 0
        hotOnly = mode & 32 != 0
        noBuffers = mode & 64 != 0
        deinits = mode & 128 != 0
    }
    func say(_ s: String) {
        budget -= 1
        if budget > 0 { log.append(s) }
    }

    // MARK: actions

    func action(nested: Bool) -> () -> Void {
        let kind = c.next(9)
        let s = c.next(5)
        let k = c.next(3)
        if tracing { trace("act(\(kind),\(s),\(k))") }
        return { [unowned self] in
            if self.budget <= 0 { return }
            if nested {
                if self.acts <= 0 { return }
                self.acts -= 1
            }
            switch kind {
            case 0, 1, 2, 3:
                self.serial += 1
                let v = V(self.serial)
                self.say("<p\(s)=\(v)")
                self.push(s, .next(v))
                self.say(">")
            case 4:
                self.say("<c\(s)")
                self.push(s, .completed)
                self.say(">")
            case 5:
                self.say("<e\(s)")
                self.push(s, .error(FE(n: s)))
                self.say(">")
            case 6, 7:
                if nested && !self.disposing { return }
                guard k < self.subs.count else { return }
                self.say("<d\(k)")
                let sub = self.subs[k]
                sub.d?.dispose()
                if sub.d != nil { sub.disposed = true }
                self.say(">")
            default:
                guard self.subs.count < 5, !self.roots.isEmpty else { return }
                let n = k % self.roots.count
                self.say("<s\(n)")
                self.subscribe(n)
                self.say(">")
            }
        }
    }

    func push(_ s: Int, _ e: Event<V>) {
        switch s {
        case 0: p0.on(e)
        case 1: p1.on(e)
        case 2: b.on(e)
        case 3: r.on(e)
        default: a.on(e)
        }
    }

    func subscribe(_ n: Int) {
        let sub = Sub()
        let id = subs.count
        subs.append(sub)
        let onEvent = hook(throwing: false)
        sub.d = roots[n].subscribe { [unowned self] e in
            if sub.disposed { self.say("#AFTERDISPOSE") }
            if sub.ended { self.say("#AFTEREND") }
            switch e {
            case .next(let v): self.say("\(id):\(v)@\(self.sch.clock)")
            case .error(let x): self.say("\(id):E(\(text(x)))@\(self.sch.clock)"); sub.ended = true
            case .completed: self.say("\(id):C@\(self.sch.clock)"); sub.ended = true
            }
            try? onEvent()
        }
    }

    /// A closure to pass as user code. It does nothing, runs an action or throws, as the generator selects.
    func hook(throwing canThrow: Bool = true) -> () throws -> Void {
        let kind = c.next(8)
        if tracing, kind >= 4 { trace("hook\(kind)") }
        let tracker = Tracker()
        if kind == 6, canThrow {
            let at = c.next(3)
            var n = 0
            guard throwing else { return { _ = tracker } }
            return { [unowned self] in
                _ = tracker
                defer { n += 1 }
                if n == at { self.say("!throw"); throw FE(n: 70 + at) }
            }
        }
        if kind >= 4 {
            let at = c.next(3)
            let act = action(nested: true)
            var n = 0
            guard acting else { return { _ = tracker } }
            return {
                _ = tracker
                defer { n += 1 }
                if n == at { act() }
            }
        }
        return { _ = tracker }
    }

    func hookT() -> () throws -> Void {
        let kind = c.next(8)
        let tracker = Tracker()
        let at = kind == 6 ? c.next(3) : 0
        var n = 0
        guard throwing, kind == 6 else { return { _ = tracker } }
        return { [unowned self] in
            _ = tracker
            defer { n += 1 }
            if n == at { self.say("!throw"); throw FE(n: 70 + at) }
        }
    }

    func softHook() -> () -> Void {
        let h = hook(throwing: false)
        return { try? h() }
    }

    func note(_ o: Observable<V>) -> Observable<V> {
        guard noting else { return o }
        names += 1
        let n = names
        return o.do(
            onSubscribe: { [unowned self] in self.say("+\(n)") }, onDispose: { [unowned self] in self.say("-\(n)") })
    }

    func span() -> RxTimeInterval {
        switch c.next(6) {
        case 0: return .seconds(5)
        case 1: return .seconds(1)
        case 2: return .seconds(10)
        case 3: return .seconds(0)
        case 4: return .seconds(25)
        default: return .seconds(3)
        }
    }

    // MARK: sources

    func source(_ depth: Int) -> Observable<V> {
        let v = 1 + c.next(4)
        var kind = c.next(20)
        if hotOnly {
            switch kind {
            case 0, 6, 10: kind = 1
            case 14, 15: kind = 11
            case 17, 18: kind = 19
            default: break
            }
        }
        if noBuffers, kind == 4 || kind == 5 || kind == 16 { kind = 3 }
        if tracing { trace("s\(kind):\(v)") }
        switch kind {
        case 0: return .just(V(v))
        case 1, 2: return p0.asObservable()
        case 3: return p1.asObservable()
        case 4: return b.asObservable()
        case 5: return r.asObservable()
        case 6: return .of(V(v), V(v + 1), V(v + 2))
        case 7: return .empty()
        case 8: return .never()
        case 9: return .error(FE(n: v))
        case 10:
            let n = c.next(4), end = c.next(3), mid = softHook(), last = softHook()
            return Observable.create { o in
                for i in 0..<n {
                    o.onNext(V(v + i))
                    if i == 0 { mid() }
                }
                if end == 0 { o.onCompleted() } else if end == 1 { o.onError(FE(n: v)) }
                return Disposables.create { last() }
            }
        case 11: return timed ? Observable<Int>.timer(span(), scheduler: sch).map { V($0 + v * 10) } : .just(V(v))
        case 12:
            return timed
                ? Observable<Int>.interval(.seconds(7), scheduler: sch).take(1 + c.next(4)).map { V($0 + v * 10) }
                : .of(V(v), V(v))
        case 13:
            let n = c.next(4), end = c.next(3)
            var events: [Recorded<Event<V>>] = []
            for i in 0..<n { events.append(.next(3 + i * 4, V(v * 10 + i))) }
            if end == 0 {
                events.append(.completed(3 + n * 4))
            } else if end == 1 {
                events.append(.error(3 + n * 4, FE(n: v)))
            }
            return sch.createColdObservable(events).asObservable()
        case 14:
            let h = hook()
            let s = depth > 0 ? gen(depth - 1) : Observable.just(V(v))
            return .deferred {
                try h(); return s
            }
        case 15:
            let h = hook(), h2 = hook()
            return Observable.generate(
                initialState: V(0),
                condition: {
                    try h(); return $0.n < v
                },
                iterate: {
                    try h2(); return V($0.n + 1)
                })
        case 16: return a.asObservable()
        case 17:
            let h = hook(), h2 = hook(), h3 = softHook()
            let s = depth > 0 ? gen(depth - 1) : Observable.just(V(v))
            return Observable<V>.using(
                { () throws -> Res in
                    try h(); return Res(h3)
                },
                observableFactory: { (_: Res) throws -> Observable<V> in
                    try h2(); return s
                })
        case 18:
            return Observable.range(start: v, count: c.next(4)).map { V($0) }
        default:
            let n = c.next(4), end = c.next(3)
            var events: [Recorded<Event<V>>] = []
            for i in 0..<n { events.append(.next(30 + i * 4, V(v * 10 + i))) }
            if end == 0 {
                events.append(.completed(30 + n * 4))
            } else if end == 1 {
                events.append(.error(30 + n * 4, FE(n: v)))
            }
            return sch.createHotObservable(events).asObservable()
        }
    }

    func inner(_ depth: Int, act: Bool = true) -> (V) throws -> Observable<V> {
        let h = act ? hook() : hookT()
        let many = c.next(3) == 0 ? [note(gen(depth))] : [note(gen(depth)), note(gen(depth))]
        var n = 0
        return { _ in
            let o = many[n % many.count]
            n += 1
            try h()
            return o
        }
    }

    // MARK: operators

    func gen(_ depth: Int) -> Observable<V> {
        if depth == 0 { return note(source(0)) }
        var op = c.next(76)
        if hotOnly, op == 13 { op = 3 }
        if tracing { trace("[\(op)") }
        defer { if tracing { trace("]") } }
        let d = depth - 1
        switch op {
        case 0, 1, 2: return source(depth)
        case 3:
            let h = hook();
            return gen(d).map {
                try h(); return V($0.n + 1)
            }
        case 4:
            let h = hook();
            return gen(d).filter {
                try h(); return $0.n % 3 != 0
            }
        case 5:
            let h = hook();
            return gen(d).scan(V(0)) {
                try h(); return V($0.n + $1.n)
            }
        case 6: return gen(d).take(c.next(4))
        case 7: return gen(d).skip(c.next(3))
        case 8: return gen(d).takeLast(c.next(3))
        case 9:
            let h = hook(), k = c.next(2);
            return gen(d).take(
                while: {
                    try h(); return $0.n % 4 != 3
                }, behavior: k == 0 ? .exclusive : .inclusive)
        case 10:
            let h = hookT();
            return gen(d).skip(while: {
                try h(); return $0.n % 4 != 1
            })
        case 11: return gen(d).distinctUntilChanged()
        case 12:
            let h = hook();
            return gen(d).distinctUntilChanged { (v: V) throws -> Int in
                try h(); return v.n % 3
            }
        case 13: return gen(d).startWith(V(90), V(91))
        case 14:
            let h = hook(), h2 = hook(), h3 = hook();
            return gen(d).do(onNext: { _ in try h() }, onError: { _ in try h2() }, onCompleted: { try h3() })
        case 15:
            let h = hook(), h2 = hook(), h3 = hook();
            return gen(d).do(afterNext: { _ in try h() }, afterError: { _ in try h2() }, afterCompleted: { try h3() })
        case 16:
            let h = softHook(), h2 = softHook(), h3 = softHook();
            return gen(d).do(onSubscribe: { h() }, onSubscribed: { h2() }, onDispose: { h3() })
        case 17: return gen(d).materialize().dematerialize()
        case 18: return gen(d).materialize().map { V($0.element?.n ?? ($0.isCompleted ? 7 : 8)) }
        case 19, 20: let f = inner(d); return gen(d).catch { _ in try f(V(0)) }
        case 21: return gen(d).catchAndReturn(V(99))
        case 22: return gen(d).retry(1 + c.next(3))
        case 23:
            let h = hook()
            let n = c.next(3)
            return gen(d).retry(when: { (e: Observable<Error>) in
                e.enumerated().map { i, x -> Int in
                    try h(); if i >= n { throw x }; return i
                }
            })
        case 24, 25: let f = inner(d); return gen(d).flatMap { try f($0) }
        case 26, 27: let f = inner(d, act: false); return gen(d).concatMap { try f($0) }
        case 28, 29: let f = inner(d); return gen(d).flatMapLatest { try f($0) }
        case 30, 31: let f = inner(d); return gen(d).flatMapFirst { try f($0) }
        case 32: return gen(d).concat(note(gen(d)))
        case 33: return Observable.concat([note(gen(d)), note(gen(d))])
        case 34: return Observable.merge(note(gen(d)), note(gen(d)))
        case 35: let k = c.next(3); return gen(d).map { [s = note(gen(d))] _ in s }.merge(maxConcurrent: 1 + k)
        case 36:
            let h = hook();
            return Observable.zip(note(gen(d)), note(gen(d))) {
                try h(); return V($0.n * 100 + $1.n)
            }
        case 37:
            let h = hook();
            return Observable.zip([note(gen(d)), note(gen(d))]) {
                try h(); return V($0.reduce(0) { $0 * 100 + $1.n })
            }
        case 38:
            let h = hook();
            return Observable.combineLatest(note(gen(d)), note(gen(d))) {
                try h(); return V($0.n * 100 + $1.n)
            }
        case 39:
            let h = hook();
            return Observable.combineLatest([note(gen(d)), note(gen(d))]) {
                try h(); return V($0.reduce(0) { $0 * 100 + $1.n })
            }
        case 40: return note(gen(d)).amb(note(gen(d)))
        case 41: return Observable.amb([note(gen(d)), note(gen(d)), note(gen(d))])
        case 42:
            let h = hook();
            return gen(d).withLatestFrom(note(gen(d))) {
                try h(); return V($0.n * 100 + $1.n)
            }
        case 43: return gen(d).sample(note(gen(d)))
        case 44: return gen(d).sample(note(gen(d)), defaultValue: V(55))
        case 45: return gen(d).take(until: note(gen(d)))
        case 46: return gen(d).skip(until: note(gen(d)))
        case 47:
            let h = hook(), k = c.next(2);
            return gen(d).take(
                until: {
                    try h(); return $0.n % 5 == 4
                }, behavior: k == 0 ? .exclusive : .inclusive)
        case 48: return gen(d).share()
        case 49: return gen(d).share(replay: 1)
        case 50: return gen(d).share(replay: 2)
        case 51: return gen(d).share(replay: 1, scope: .forever)
        case 52: return gen(d).share(replay: 0, scope: .forever)
        case 53: return gen(d).replay(1).refCount()
        case 54: return gen(d).publish().refCount()
        case 55:
            let h = hook();
            return gen(d).groupBy {
                try h(); return $0.n % 3
            }.flatMap { $0.map { V($0.n + 1000) } }
        case 56:
            let h = hook();
            return gen(d).groupBy {
                try h(); return $0.n % 3
            }.flatMap { g in g.take(2).map { V($0.n + 1000) } }
        case 57: return gen(d).toArray().asObservable().map { V($0.reduce(0) { $0 + $1.n } + 5000) }
        case 58:
            let h = hook(), h2 = hook();
            return gen(d).reduce(
                V(0),
                accumulator: {
                    try h(); return V($0.n + $1.n)
                },
                mapResult: {
                    try h2(); return $0
                })
        case 59: return gen(d).ifEmpty(default: V(77))
        case 60: return gen(d).ifEmpty(switchTo: note(gen(d)))
        case 61: return gen(d).single()
        case 62: return gen(d).element(at: c.next(3))
        case 63: return acting ? gen(d).take(1) : gen(d).first().asObservable().map { V($0?.n ?? -1) }
        case 64: return gen(d).ignoreElements().flatMap { _ in Observable<V>.empty() }
        case 65: return gen(d).enumerated().map { V($0.index * 1000 + $0.element.n) }
        case 66: return gen(d).asSingle().asObservable()
        case 67: return gen(d).asMaybe().asObservable()
        case 68:
            let s = span(), k = c.next(3);
            return timed
                ? gen(d).buffer(timeSpan: s, count: k, scheduler: sch).take(20).map { V($0.reduce(3000) { $0 + $1.n }) }
                : gen(d)
        case 69:
            let s = span(), k = c.next(3);
            return timed
                ? gen(d).window(timeSpan: s, count: k, scheduler: sch).take(20).flatMap { $0.startWith(V(4000)) }
                : gen(d)
        case 70: let s = span(); return timed ? gen(d).debounce(s, scheduler: sch) : gen(d)
        case 71:
            let s = span(), k = c.next(2); return timed ? gen(d).throttle(s, latest: k == 0, scheduler: sch) : gen(d)
        case 72: let s = span(); return timed ? gen(d).delay(s, scheduler: sch) : gen(d)
        case 73: let s = span(); return timed ? gen(d).delaySubscription(s, scheduler: sch) : gen(d)
        case 74:
            let s = span(), k = c.next(2)
            if !timed { return gen(d) }
            return k == 0 ? gen(d).timeout(s, scheduler: sch) : gen(d).timeout(s, other: note(gen(d)), scheduler: sch)
        default:
            let k = c.next(4), s = span()
            if !timed { return gen(d) }
            switch k {
            case 0: return gen(d).observe(on: sch)
            case 1: return gen(d).subscribe(on: sch)
            case 2: return gen(d).take(for: s, scheduler: sch)
            default: return gen(d).skip(s, scheduler: sch)
            }
        }
    }

    func run() {
        let depth = 1 + c.next(3)
        roots.append(gen(depth))
        if c.next(3) == 2 { roots.append(gen(depth)) }
        let early = action(nested: false)
        early()
        if deinits {
            let list = (0..<8).map { _ in action(nested: true) }
            var k = 0
            acts = 25
            onDeinit = { n in
                guard n % 3 == 0 else { return }
                k += 1
                list[k % 8]()
            }
        }
        subscribe(0)
        let steps = 3 + c.next(12)
        var t = 0
        for _ in 0..<steps {
            t += 1 + c.next(9)
            let act = action(nested: false)
            sch.scheduleAt(t) { act() }
        }
        sch.advanceTo(t + 60)
        say("end")
        for s in subs { s.d?.dispose(); s.disposed = true }
        sch.advanceTo(t + 120)
        say("fin")
        onDeinit = nil
    }
}

func runOnce(_ a: [Int]) -> String {
    aliveV = 0
    aliveT = 0
    var text = ""
    do {
        let c = Choices(Array(a.dropFirst()))
        let env = Env(c, mode: a.first ?? 0)
        env.run()
        text = env.log.joined(separator: " ") + (env.budget <= 0 ? " OVER" : "")
        env.roots = []
        env.subs = []
    }
    return text + "\t" + "\(aliveV),\(aliveT)"
}

while let line = readLine() {
    let a = line.split(separator: " ").compactMap { Int($0) }
    print("R\t" + runOnce(a))
    fflush(stdout)
}
