import RxSwift
import Testing

struct ErrorsTests {
    private final class Thing: CustomStringConvertible {
        let description = "thing"
    }

    @Test(arguments: [
        (RxError.unknown, "Unknown error occurred."),
        (.disposed(object: Thing()), "Object `thing` was already disposed."),
        (.overflow, "Arithmetic overflow occurred."),
        (.argumentOutOfRange, "Argument out of range."),
        (.noElements, "Sequence doesn't contain any elements."),
        (.moreThanOneElement, "Sequence contains more than one element."),
        (.timeout, "Sequence timeout."),
    ])
    func speaksRxSwiftsWords(error: RxError, words: String) {
        #expect("\(error)" == words)
        #expect(error.debugDescription == words)
    }
}
