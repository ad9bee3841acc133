import Dispatch
import RxSwift
import TestSupport
import Testing

#if Foundation
    import Foundation
#endif

struct ReactiveTests {
    @Test @MainActor func anyClassHasBindersForItsProperties() {
        let label = Label()
        _ = Observable.of("a", "b").subscribe(label.rx.text)
        _ = Observable.of(1, nil).subscribe(label.rx.number)
        #expect(label.text == "b")
        #expect(label.number == nil)
    }

    @Test @MainActor func subclassHasExtensionsOfSuperclass() {
        let label = ColouredLabel()
        label.rx.text.onNext("a")
        label.rx.colour.onNext("red")
        #expect(label.text == "a")
        #expect(label.colour == "red")
    }

    @Test @MainActor func aPathMayGoThroughAStructure() {
        let label = Label()
        label.rx.frame.onNext(Label.Frame(width: 7))
        #expect(label.frame.width == 7)
    }

    @Test func propertyBinderSetsOnMainQueue() async {
        let label = Label()
        label.rx.text.onNext("a")
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(label.text == "a")
        #expect(label.wasSetOnMain)
    }

    @Test @MainActor func aBinderDoesNotRetainItsObject() {
        var label: Label? = Label()
        weak let seen = label
        let binder = label!.rx.text
        label = nil
        #expect(seen == nil)
        binder.onNext("to nobody")
    }

    @Test func declaredExtensionOverridesProperty() {
        let label = Label()
        let log = Log()
        label.rx.title.onNext("a")
        log(label.titles)
        #expect(log.text == #"["a"]"#)
    }

    @Test func structureMayHaveExtensions() {
        #expect(Celsius(degrees: 20).rx.fahrenheit == 68)
        #expect(Celsius.rx.freezing == 0)
    }

    @Test func reactiveExtensionHasItsBase() {
        let label = Label()
        #expect(label.rx.base === label)
        #expect(Label.rx == Reactive<Label>.self)
        var settable = label
        settable.rx = Reactive(label)
        #expect(settable === label)
    }

    #if Foundation
        @Test @MainActor func rxIsAvailableOnNSObject() {
            let progress = Progress(totalUnitCount: 10)
            progress.rx.completedUnitCount.onNext(5)
            #expect(progress.completedUnitCount == 5)
        }
    #endif
}

// @unchecked Sendable because each test uses its label on one thread at a time.
private class Label: ReactiveCompatible, @unchecked Sendable {
    struct Frame {
        var width = 0
    }

    var text = "" {
        didSet { wasSetOnMain = isOnMain() }
    }
    var number: Int? = 0
    var frame = Frame()
    var wasSetOnMain = false
    var titles: [String] = []
    var title = ""
}

private final class ColouredLabel: Label, @unchecked Sendable {
    var colour = ""
}

extension Reactive where Base: Label {
    fileprivate var title: AnyObserver<String> {
        AnyObserver { [base] event in
            if case .next(let title) = event { base.titles.append(title) }
        }
    }
}

private struct Celsius: ReactiveCompatible {
    let degrees: Double
}

extension Reactive where Base == Celsius {
    fileprivate var fahrenheit: Double { base.degrees * 9 / 5 + 32 }

    fileprivate static var freezing: Double { 0 }
}

private let mainKey: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
}()

private func isOnMain() -> Bool { DispatchQueue.getSpecific(key: mainKey) != nil }
