import RxCocoa
import Testing

struct RxCocoaErrorTests {
    @Test(
        arguments: [
            (.unknown, "Unknown error occurred."),
            (.invalidOperation(object: 1), "Invalid operation was attempted on `1`."),
            (
                .itemsNotYetBound(object: 1),
                "Data source is set, but items are not yet bound to user interface for `1`."
            ),
            (.invalidPropertyName(object: 1, propertyName: "x"), "Object `1` doesn't have a property named `x`."),
            (
                .invalidObjectOnKeyPath(object: 1, sourceObject: Source(), propertyName: "x"),
                "Unobservable object `1` was observed as `x` of `source`."
            ),
            (.errorDuringSwizzling, "Error during swizzling."),
            (.castingError(object: 1, targetType: String.self), "Error casting `1` to `String`"),
        ] as [(RxCocoaError, String)])
    func speaksRxSwiftsWords(error: RxCocoaError, words: String) {
        #expect(error.debugDescription == words)
    }
}

private final class Source: CustomStringConvertible {
    let description = "source"
}
