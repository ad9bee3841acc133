/// Each row's hand-written version: closures that call closures, without threads, cancellation and errors.
enum ByHand {
    typealias Next = (Int) -> Void

    final class Source {
        private var observers: [Int: Next] = [:]
        private var ordered: [Next] = []
        private var nextKey = 0

        func subscribe(_ next: @escaping Next) {
            ordered.append(next)
        }

        func subscribeForNow(_ next: @escaping Next) -> () -> Void {
            let key = nextKey
            nextKey += 1
            observers[key] = next
            return { self.observers[key] = nil }
        }

        func send(_ element: Int) {
            for observer in ordered { observer(element) }
        }

        func sendToThoseForNow(_ element: Int) {
            for observer in observers.values { observer(element) }
        }
    }

    // Not inlined, because the compiler would otherwise merge a whole chain into one loop. In a program, separate
    // modules prevent this.

    @inline(never)
    static func map(_ transform: @escaping (Int) -> Int, _ next: @escaping Next) -> Next {
        { next(transform($0)) }
    }

    @inline(never)
    static func filter(_ isIncluded: @escaping (Int) -> Bool, _ next: @escaping Next) -> Next {
        { if isIncluded($0) { next($0) } }
    }

    @inline(never)
    static func scan(_ combine: @escaping (Int, Int) -> Int, _ next: @escaping Next) -> Next {
        var state = 0
        return {
            state = combine(state, $0)
            next(state)
        }
    }

    @inline(never)
    static func distinct(_ next: @escaping Next) -> Next {
        var last: Int?
        return {
            guard $0 != last else { return }
            last = $0
            next($0)
        }
    }

    @inline(never)
    static func take(_ count: Int, _ next: @escaping Next) -> Next {
        var left = count
        return {
            guard left > 0 else { return }
            left -= 1
            next($0)
        }
    }

    @inline(never)
    static func skip(_ count: Int, _ next: @escaping Next) -> Next {
        var left = count
        return {
            guard left == 0 else { return left -= 1 }
            next($0)
        }
    }

    @inline(never)
    static func chunks(_ count: Int, _ next: @escaping ([Int]) -> Void) -> Next {
        var chunk: [Int] = []
        return {
            chunk.append($0)
            guard chunk.count == count else { return }
            next(chunk)
            chunk = []
        }
    }

    @inline(never)
    static func zip(_ combine: @escaping (Int, Int) -> Int, _ next: @escaping Next) -> (Next, Next) {
        var (first, second): ([Int], [Int]) = ([], [])
        func pair() {
            guard !first.isEmpty, !second.isEmpty else { return }
            next(combine(first.removeFirst(), second.removeFirst()))
        }
        return (
            {
                first.append($0)
                pair()
            },
            {
                second.append($0)
                pair()
            }
        )
    }

    @inline(never)
    static func combineLatest(_ combine: @escaping (Int, Int) -> Int, _ next: @escaping Next) -> (Next, Next) {
        var (first, second): (Int?, Int?)
        func pair() {
            if let first, let second { next(combine(first, second)) }
        }
        return (
            {
                first = $0
                pair()
            },
            {
                second = $0
                pair()
            }
        )
    }

    typealias Cold = (@escaping Next) -> Void

    @inline(never)
    static func just(_ element: Int) -> Cold {
        { $0(element) }
    }

    @inline(never)
    static func range(_ count: Int) -> Cold {
        { next in for number in 0..<count { next(number) } }
    }

    @inline(never)
    static func flatMap(_ transform: @escaping (Int) -> Cold, _ next: @escaping Next) -> Next {
        { transform($0)(next) }
    }

    @inline(never)
    static func fails(unless succeeds: Bool) throws -> Int {
        guard succeeds else { throw Failure() }
        return 1
    }
}
