package enum TestError: Error {
    case a, b, c
}
