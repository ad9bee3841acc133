import RxCocoa
import RxSwift
import TestSupport

extension Table {
    /// `ControlEvent(events:)` and `ControlProperty(values:valueSink:)` have no rows: they subscribe on the main queue,
    /// and a check cannot wait for that queue.
    static let controlRows: [Row] = [
        Row("ControlTarget.rx.controlEvent", "", [.exact, .survives, .anchored]) { rig in
            let control = rig.control()
            return Row.Form(control.rx.controlEvent, of: control)
        },
        Row("ControlTarget.rx.controlProperty(getter:setter:)", "", [.survives, .anchored]) { rig in
            let control = rig.control()
            return Row.Form(control.property, of: control)
        },
        Row("ControlTarget.rx.deallocated", "", [.shared, .survives, .anchored]) { rig in
            let control = rig.control()
            return Row.Form { probe in
                Disposables.create(
                    Row.Form(control.rx.deallocated, of: control).subscribe(probe), control.rx.controlEvent.subscribe())
            }
        },
        Row("ControlEvent.subscribe(_:)", "", [.exact, .survives, .anchored]) { rig in
            let control = rig.control()
            return Row.Form(control.rx.controlEvent, of: control)
        },
        Row("ControlEvent.asInfallible()", "", [.exact, .survives, .anchored]) { rig in
            let control = rig.control()
            return Row.Form(control.rx.controlEvent.asInfallible().asObservable(), of: control)
        },
        Row.sharing("ControlEvent.asDriver()", "", [.exact, .survives, .anchored]) { rig in
            let control = rig.control()
            return Row.Form(control.rx.controlEvent.asDriver().asObservable(), of: control)
        },
        Row.sharing("ControlEvent.asSignal()", "", [.exact, .survives, .anchored]) { rig in
            let control = rig.control()
            return Row.Form(control.rx.controlEvent.asSignal().asObservable(), of: control)
        },
        Row("ControlProperty.subscribe(_:)", "", [.survives, .anchored]) { rig in
            let control = rig.control()
            return Row.Form(control.property, of: control)
        },
        Row("ControlProperty.on(_:)", "", [.shared, .retains, .survives, .endless]) { rig in
            // The property does not send the values that are set through it, so the probe observes the setter.
            let (source, hook) = (rig.infallible().asObservable(), rig.hook())
            let panel = Control(Observable.never(), rig.make(), hook)
            return Row.Form { probe in
                let property = panel.rx.controlProperty(
                    getter: \.latest,
                    setter: { _, element in
                        hook.quietly()
                        probe.next(element)
                    })
                nonisolated(unsafe) let subscription = source.subscribe { property.on($0) }
                return Disposables.create { withExtendedLifetime(panel) { subscription.dispose() } }
            }
        },
        Row("ControlProperty.changed", "", [.exact, .retains, .survives, .anchored]) { rig in
            let control = rig.control()
            return Row.Form(control.property.changed, of: control)
        },
        Row("ControlProperty.orEmpty", "", [.survives, .anchored]) { rig in
            let (control, hook) = (rig.control(), rig.hook())
            let text = control.rx.controlProperty(
                getter: { control -> String? in
                    hook.quietly()
                    return control.latest.value.isMultiple(of: 2) ? nil : "odd"
                }, setter: { _, _ in })
            return Row.Form(text.orEmpty, of: control)
        },
        Row.sharing("ControlProperty.asDriver()", "", [.survives, .anchored]) { rig in
            let control = rig.control()
            return Row.Form(control.property.asDriver().asObservable(), of: control)
        },
    ]
}

/// A control that a source drives. It ends with the source.
// @unchecked Sendable because `state` is protected by its lock, and the other properties are constant.
private final class Control: ControlTarget, @unchecked Sendable {
    let lifetime = ControlLifetime()
    private let source: Observable<Tracked>
    private let hook: Hook
    private let state: Guarded<Tracked>

    init(_ source: Observable<Tracked>, _ first: Tracked, _ hook: Hook) {
        self.source = source
        self.hook = hook
        state = Guarded(first)
    }

    var latest: Tracked { state.withLock { $0 } }

    var property: ControlProperty<Tracked> {
        rx.controlProperty(getter: \.latest, setter: { _, _ in })
    }

    func listen(_ send: @escaping @Sendable (Tracked) -> Void) -> any Disposable {
        hook.quietly()
        return source.subscribe(
            onNext: { [weak self] element in
                // The old element is released after unlocking.
                let before = self?.state.withLock { latest in
                    defer { latest = element }
                    return latest
                }
                withExtendedLifetime(before) { send(element) }
            },
            onError: { [weak self] _ in self?.lifetime.end() }, onCompleted: { [weak self] in self?.lifetime.end() })
    }
}

extension Rig {
    fileprivate func control() -> Control { Control(a, make(), hook()) }
}

extension Row.Form {
    /// The listener retains the control until the end or the disposal.
    fileprivate init(_ observable: some ObservableType, of control: Control) {
        subscribe = { probe in
            let kept = Guarded<Control?>(control)
            nonisolated(unsafe) let subscription = observable.subscribe(
                AnyObserver { event in
                    probe.on(event)
                    if event.isStopEvent { kept.empty() }
                })
            return Disposables.create {
                subscription.dispose()
                kept.empty()
            }
        }
    }
}

extension Guarded where Value == Control? {
    /// Releases the control after unlocking.
    fileprivate func empty() {
        let control = withLock { $0.take() }
        withExtendedLifetime(control) {}
    }
}
