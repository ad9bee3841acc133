import RxSwift
import Testing

struct BooleanDisposableTests {
    @Test func remembersThatItWasDisposed() {
        let disposable = BooleanDisposable()
        #expect(!disposable.isDisposed)
        disposable.dispose()
        #expect(disposable.isDisposed)
    }

    @Test func initialStateEqualsArgument() {
        #expect(BooleanDisposable(isDisposed: true).isDisposed)
        #expect(!BooleanDisposable(isDisposed: false).isDisposed)
    }
}
