import RxSwift
import TestSupport
import Testing

struct IfEmptyDefaultTests {
    @Test func emptySourceSendsDefault() {
        outcome("----|") { $0.ifEmpty(default: 7) }.expect("----(7|)", subscribed: "^---!")
    }

    @Test func nonEmptySourceSendsNoDefault() {
        outcome("--1-|") { $0.ifEmpty(default: 7) }.expect("--1-|", subscribed: "^---!")
    }

    @Test func sourceErrorIsForwarded() {
        outcome("----#") { $0.ifEmpty(default: 7) }.expect("----#", subscribed: "^---!")
    }
}
