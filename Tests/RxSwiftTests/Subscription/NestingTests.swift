import CRxCore
import Glibc
import RxRelay
import RxSwift
import TestSupport
import Testing

/// Runs in separate processes, because a process prints the warning of deep nesting only once.
struct NestingTests {
    private func said(by result: ExitTest.Result?) -> [Substring] {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n").filter {
            $0.contains("nested in each other")
        }
    }

    #if DEBUG
        @Test func aLoopIsWarnedOfOnce() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                for _ in 0..<2 { Self.loop(warning: true) }
                NameLookups.finish()
            }
            let warnings = said(by: result)
            #expect(warnings.count == 1)
            #expect(warnings.allSatisfy { $0.contains("PublishSubject<Int>") && $0.contains("observe(on:)") })
            #if compiler(>=6.2)
                let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
                let places = words.split(separator: "\n").filter { $0.contains("nested events are pushed from") }
                #expect(places.count == 1 && places[0].contains("NestingTests.swift:\(Self.line)"))
            #endif
        }

        @Test func loopIsWarnedOfBeforeNamesAreLookedUp() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                NameLookups.suspend()
                Self.loop(warning: true)
                _exit(0)
            }
            #expect(said(by: result).count == 1)
        }

        @Test func aLoopOfRelaysIsWarnedOf() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let (first, second) = (BehaviorRelay(value: 0), BehaviorRelay(value: 0))
                _ = first.filter { $0 < 150 }.map { $0 + 1 }.bind(to: second)
                _ = second.bind(to: first)
            }
            #expect(said(by: result).count == 1)
        }

        @Test func aLoopOfUpdatesIsWarnedOf() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let relay = BehaviorRelay(value: 0)
                _ = relay.subscribe(onNext: { if $0 < 150 { relay.update { $0 += 1 } } })
            }
            #expect(said(by: result).count == 1)
        }

        @Test func theObserverOfCreateIsCalledByItsName() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let held = Guarded<AnyObserver<Int>?>(nil)
                _ = Observable<Int>.create { observer in
                    held.withLock { $0 = observer }
                    return Disposables.create()
                }
                .subscribe(onNext: { if $0 < 150, let observer = held.withLock({ $0 }) { observer.onNext($0 + 1) } })
                held.withLock({ $0 })?.onNext(0)
            }
            let warnings = said(by: result)
            #expect(warnings.count == 1 && warnings.allSatisfy { $0.contains("`create` gave to an Observable<Int>") })
        }
    #endif

    @Test func nestingBelowLimitDoesNotWarn() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            Hooks.warnsOfDeepNesting = true
            let subject = PublishSubject<Int>()
            _ = subject.subscribe(onNext: { if $0 < 99 { subject.onNext($0 + 1) } })
            for _ in 0..<100 { subject.onNext(0) }
        }
        #expect(said(by: result).isEmpty)
    }

    @Test func gatesThatFollowEachOtherAreNotNested() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            Hooks.warnsOfDeepNesting = true
            let subjects = (0..<200).map { _ in PublishSubject<Int>() }
            for (upper, lower) in zip(subjects, subjects.dropFirst()) { _ = upper.subscribe(lower) }
            subjects[0].onNext(0)
        }
        #expect(said(by: result).isEmpty)
    }

    @Test func hookEnablesOrDisablesWarning() async {
        for isOn in [true, false] {
            let result =
                if isOn {
                    await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                        Self.loop(warning: true)
                    }
                } else {
                    await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                        Self.loop(warning: false)
                    }
                }
            #expect(said(by: result).count == (isOn ? 1 : 0))
        }
    }

    /// The line of the nested `onNext` in `loop`.
    private static let line = #line + 6

    private static func loop(warning: Bool) {
        Hooks.warnsOfDeepNesting = warning
        precondition(Hooks.warnsOfDeepNesting == warning)
        let subject = PublishSubject<Int>()
        _ = subject.subscribe(onNext: { if $0 < 150 { subject.onNext($0 + 1) } })
        subject.onNext(0)
    }

    @Test func endlessRelayLoopTrapsWithMessage() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Hooks.warnsOfDeepNesting = false
            try runOnThread(stackSize: 512 << 10) {
                let relay = BehaviorRelay(value: 0)
                _ = relay.map { $0 + 1 }.bind(to: relay)
            }
        }
        let words = said(by: result).filter { $0.contains("KiB is used up") && $0.contains("BehaviorSubject<Int>") }
        #expect(words.count == 1)
    }

    @Test func deepNestingMayUseMostOfALargeStack() async {
        await #expect(processExitsWith: .success) {
            Hooks.warnsOfDeepNesting = false
            try runOnThread(stackSize: 16 << 20) {
                let subject = PublishSubject<Int>()
                nonisolated(unsafe) var deepest = 0
                _ = subject.subscribe(onNext: { depth in
                    deepest = depth
                    var size = 0
                    if crx_nesting_stack_left(&size) > 1 << 20 { subject.onNext(depth + 1) }
                })
                subject.onNext(0)
                precondition(deepest > 100)
            }
        }
    }

    /// The program allocates the signal handler's stack, so the library cannot know the stack's size.
    @Test func eventsNestOnStackOfUnknownSize() async {
        await #expect(processExitsWith: .success) {
            Hooks.warnsOfDeepNesting = false
            let size = 1 << 20
            var stack = stack_t()
            (stack.ss_sp, stack.ss_size) = (.allocate(byteCount: size, alignment: 16), size)
            sigaltstack(&stack, nil)
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in
                let subject = PublishSubject<Int>()
                _ = subject.subscribe(onNext: { depth in
                    var size = 1
                    _ = crx_nesting_stack_left(&size)
                    precondition(size == 0)
                    NestingTests.deepest.withLock { $0 = depth }
                    if depth < 50 { subject.onNext(depth + 1) }
                })
                subject.onNext(1)
            }
            action.sa_flags = SA_ONSTACK
            sigaction(SIGUSR1, &action, nil)
            // Dispatch's threads block signals.
            var signals = sigset_t()
            sigaddset(&signals, SIGUSR1)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            raise(SIGUSR1)
            precondition(NestingTests.deepest.withLock { $0 } == 50)
        }
    }

    private static let deepest = Guarded(0)

    @Test func endlessLoopOnMainThreadTrapsWithMessage() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Hooks.warnsOfDeepNesting = false
            await MainActor.run {
                let subject = PublishSubject<Int>()
                _ = Observable.merge(subject, Observable.never()).subscribe(onNext: { subject.onNext($0 + 1) })
                subject.onNext(0)
            }
        }
        #expect(said(by: result).contains { $0.contains("is used up") })
    }
}
