import RxOperators

extension Example {
    static let operatorSharing: [Example] = [
        Example("ref-count-after") { m in m.source.publish().refCount(after: 1) },
        Example("auto-connect") { m in m.source.replay(1).autoConnect(1) },
    ]
}
