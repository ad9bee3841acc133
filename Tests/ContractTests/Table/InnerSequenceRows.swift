import RxOperators

extension Table {
    static let innerSequenceRows: [Row] = [
        Row("flatMapOrdered(maxConcurrent:_:)", "one element", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.flatMapOrdered(maxConcurrent: 2) { element in
                try hook()
                return Observable.just(element)
            }
        },
        Row("flatMapOrdered(maxConcurrent:_:)", "another sequence", [.multiplies]) { rig in
            let inner = rig.b
            // `inner` is selected only once, because a second subscription would send its elements again.
            return rig.a.flatMapOrdered(maxConcurrent: 2) { $0.value == 0 ? inner : .empty() }
        },
        Row("zip(_:)", "", [.exact]) { $0.a.zip(1...).map { $0.0 } },
        Row("zip(_:)", "ends", [.endsItself]) { $0.a.zip([1, 2]).map { $0.0 } },
        Row("expand(_:)", "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.expand { _ in
                try hook()
                return Observable<Tracked>.empty()
            }
        },
        Row("expand(_:)", "another sequence", [.multiplies]) { rig in
            let inner = rig.b.map { (element: $0, isInner: true) }
            // Without `isInner`, each inner element would subscribe to the inner sequence once more.
            return rig.a.map { (element: $0, isInner: false) }
                .expand { $0.isInner ? .empty() : inner }
                .map(\.element)
        },
        Row("groupBy(keySelector:until:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.groupBy(
                keySelector: { element in
                    try hook()
                    return element.value % 2
                }, until: { _ in Observable<Int>.never() })
        },
        Row("groupBy(keySelector:until:)", "flattened", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.groupBy(
                keySelector: { $0.value % 2 },
                until: { _ in
                    try hook()
                    return Observable<Int>.never()
                }
            )
            .flatMap { $0 }
        },
        Row("groupBy(keySelector:until:)", "expiring", [.multiplies]) { rig in
            let duration = rig.b
            return rig.a.groupBy(keySelector: { $0.value % 2 }, until: { _ in duration }).flatMap { $0 }
        },
        Row("groupJoin(_:leftDuration:rightDuration:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            let (left, right) = (rig.a, rig.b)
            return left.groupJoin(
                right, leftDuration: { _ in Observable<Int>.empty() }, rightDuration: { _ in Observable<Int>.empty() },
                resultSelector: { element, _ in
                    try hook()
                    return element
                })
        },
        Row("groupJoin(_:leftDuration:rightDuration:resultSelector:)", "merged", [.multiplies]) { rig in
            let (left, right, end) = (rig.a, rig.b, rig.c)
            return left.groupJoin(
                right, leftDuration: { _ in end }, rightDuration: { _ in end },
                resultSelector: { element, rights in
                    // Sends each element once. A pair for each element of `rights` would repeat elements in another
                    // order.
                    rights.filter { _ in false }.startWith(element)
                }
            )
            .merge()
        },
    ]
}
