/// The errors that tests send.
package enum TestError: Error {
    case a, b, c
}
