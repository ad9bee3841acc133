import Foundation

func offMain(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        body()
        done.signal()
    }
    done.wait()
}

func expect<Value: Equatable>(_ got: Value, _ wanted: Value, line: UInt = #line, file: StaticString = #fileID) {
    guard got == wanted else {
        print("\(file):\(line): \(got) is not \(wanted)")
        exit(1)
    }
}

func expectOffMain(line: UInt = #line, file: StaticString = #fileID) {
    guard !Thread.isMainThread else {
        print("\(file):\(line): on the main thread")
        exit(1)
    }
}
