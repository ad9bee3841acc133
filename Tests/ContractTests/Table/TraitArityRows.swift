import RxSwift

extension Table {
    /// Each overload of a trait, such as `Single.zip` of two sources, calls the corresponding overload of `Observable`.
    static let traitArityRows: [Row] = [
        Row("static Single.zip(_:_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            Single.zip(rig.single(0), rig.single(1))
        },
        Row("static Single.zip(_:_:resultSelector:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return Single.zip(rig.single(0), rig.single(1)) {
                try hook()
                return [$0, $1]
            }
        },
        Row("static Single.zip(_:_:_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            Single.zip(rig.single(0), rig.single(1), rig.single(2))
        },
        Row("static Single.zip(_:_:_:resultSelector:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return Single.zip(rig.single(0), rig.single(1), rig.single(2)) {
                try hook()
                return [$0, $1, $2]
            }
        },
        Row("static Single.zip(_:_:_:_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            Single.zip(rig.single(0), rig.single(1), rig.single(2), rig.single(3))
        },
        Row("static Single.zip(_:_:_:_:resultSelector:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return Single.zip(rig.single(0), rig.single(1), rig.single(2), rig.single(3)) {
                try hook()
                return [$0, $1, $2, $3]
            }
        },
        Row("static Single.zip(_:_:_:_:_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            Single.zip(rig.single(0), rig.single(1), rig.single(2), rig.single(3), rig.single(4))
        },
        Row("static Single.zip(_:_:_:_:_:resultSelector:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) {
            rig in
            let hook = rig.hook()
            return Single.zip(rig.single(0), rig.single(1), rig.single(2), rig.single(3), rig.single(4)) {
                try hook()
                return [$0, $1, $2, $3, $4]
            }
        },
        Row("static Single.zip(_:_:_:_:_:_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            Single.zip(rig.single(0), rig.single(1), rig.single(2), rig.single(3), rig.single(4), rig.single(5))
        },
        Row("static Single.zip(_:_:_:_:_:_:resultSelector:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) {
            rig in
            let hook = rig.hook()
            return Single.zip(rig.single(0), rig.single(1), rig.single(2), rig.single(3), rig.single(4), rig.single(5))
            {
                try hook()
                return [$0, $1, $2, $3, $4, $5]
            }
        },
        Row("static Single.zip(_:_:_:_:_:_:_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            Single.zip(
                rig.single(0), rig.single(1), rig.single(2), rig.single(3), rig.single(4), rig.single(5), rig.single(6))
        },
        Row("static Single.zip(_:_:_:_:_:_:_:resultSelector:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) {
            rig in
            let hook = rig.hook()
            return Single.zip(
                rig.single(0), rig.single(1), rig.single(2), rig.single(3), rig.single(4), rig.single(5), rig.single(6)
            ) {
                try hook()
                return [$0, $1, $2, $3, $4, $5, $6]
            }
        },
        Row("static Single.zip(_:_:_:_:_:_:_:_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            Single.zip(
                rig.single(0), rig.single(1), rig.single(2), rig.single(3), rig.single(4), rig.single(5), rig.single(6),
                rig.single(7))
        },
        Row("static Single.zip(_:_:_:_:_:_:_:_:resultSelector:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) {
            rig in
            let hook = rig.hook()
            return Single.zip(
                rig.single(0), rig.single(1), rig.single(2), rig.single(3), rig.single(4), rig.single(5), rig.single(6),
                rig.single(7)
            ) {
                try hook()
                return [$0, $1, $2, $3, $4, $5, $6, $7]
            }
        },
        Row("static Maybe.zip(_:_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            Maybe.zip(rig.maybe(0), rig.maybe(1))
        },
        Row("static Maybe.zip(_:_:resultSelector:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return Maybe.zip(rig.maybe(0), rig.maybe(1)) {
                try hook()
                return [$0, $1]
            }
        },
        Row("static Maybe.zip(_:_:_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            Maybe.zip(rig.maybe(0), rig.maybe(1), rig.maybe(2))
        },
        Row("static Maybe.zip(_:_:_:resultSelector:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return Maybe.zip(rig.maybe(0), rig.maybe(1), rig.maybe(2)) {
                try hook()
                return [$0, $1, $2]
            }
        },
        Row("static Maybe.zip(_:_:_:_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            Maybe.zip(rig.maybe(0), rig.maybe(1), rig.maybe(2), rig.maybe(3))
        },
        Row("static Maybe.zip(_:_:_:_:resultSelector:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return Maybe.zip(rig.maybe(0), rig.maybe(1), rig.maybe(2), rig.maybe(3)) {
                try hook()
                return [$0, $1, $2, $3]
            }
        },
        Row("static Maybe.zip(_:_:_:_:_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            Maybe.zip(rig.maybe(0), rig.maybe(1), rig.maybe(2), rig.maybe(3), rig.maybe(4))
        },
        Row("static Maybe.zip(_:_:_:_:_:resultSelector:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) { rig in
            let hook = rig.hook()
            return Maybe.zip(rig.maybe(0), rig.maybe(1), rig.maybe(2), rig.maybe(3), rig.maybe(4)) {
                try hook()
                return [$0, $1, $2, $3, $4]
            }
        },
        Row("static Maybe.zip(_:_:_:_:_:_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            Maybe.zip(rig.maybe(0), rig.maybe(1), rig.maybe(2), rig.maybe(3), rig.maybe(4), rig.maybe(5))
        },
        Row("static Maybe.zip(_:_:_:_:_:_:resultSelector:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) {
            rig in
            let hook = rig.hook()
            return Maybe.zip(rig.maybe(0), rig.maybe(1), rig.maybe(2), rig.maybe(3), rig.maybe(4), rig.maybe(5)) {
                try hook()
                return [$0, $1, $2, $3, $4, $5]
            }
        },
        Row("static Maybe.zip(_:_:_:_:_:_:_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            Maybe.zip(rig.maybe(0), rig.maybe(1), rig.maybe(2), rig.maybe(3), rig.maybe(4), rig.maybe(5), rig.maybe(6))
        },
        Row("static Maybe.zip(_:_:_:_:_:_:_:resultSelector:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) {
            rig in
            let hook = rig.hook()
            return Maybe.zip(
                rig.maybe(0), rig.maybe(1), rig.maybe(2), rig.maybe(3), rig.maybe(4), rig.maybe(5), rig.maybe(6)
            ) {
                try hook()
                return [$0, $1, $2, $3, $4, $5, $6]
            }
        },
        Row("static Maybe.zip(_:_:_:_:_:_:_:_:)", "", [.delegates, .endsItself, .oneEvent]) { rig in
            Maybe.zip(
                rig.maybe(0), rig.maybe(1), rig.maybe(2), rig.maybe(3), rig.maybe(4), rig.maybe(5), rig.maybe(6),
                rig.maybe(7))
        },
        Row("static Maybe.zip(_:_:_:_:_:_:_:_:resultSelector:)", "", [.delegates, .throwing, .endsItself, .oneEvent]) {
            rig in
            let hook = rig.hook()
            return Maybe.zip(
                rig.maybe(0), rig.maybe(1), rig.maybe(2), rig.maybe(3), rig.maybe(4), rig.maybe(5), rig.maybe(6),
                rig.maybe(7)
            ) {
                try hook()
                return [$0, $1, $2, $3, $4, $5, $6, $7]
            }
        },
        Row("static Infallible.zip(_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Infallible.zip(rig.infallible(0), rig.infallible(1)) {
                hook.quietly()
                return [$0, $1]
            }
        },
        Row("static Infallible.zip(_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Infallible.zip(rig.infallible(0), rig.infallible(1), rig.infallible(2)) {
                hook.quietly()
                return [$0, $1, $2]
            }
        },
        Row("static Infallible.zip(_:_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Infallible.zip(rig.infallible(0), rig.infallible(1), rig.infallible(2), rig.infallible(3)) {
                hook.quietly()
                return [$0, $1, $2, $3]
            }
        },
        Row("static Infallible.zip(_:_:_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Infallible.zip(
                rig.infallible(0), rig.infallible(1), rig.infallible(2), rig.infallible(3), rig.infallible(4)
            ) {
                hook.quietly()
                return [$0, $1, $2, $3, $4]
            }
        },
        Row("static Infallible.zip(_:_:_:_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Infallible.zip(
                rig.infallible(0), rig.infallible(1), rig.infallible(2), rig.infallible(3), rig.infallible(4),
                rig.infallible(5)
            ) {
                hook.quietly()
                return [$0, $1, $2, $3, $4, $5]
            }
        },
        Row("static Infallible.zip(_:_:_:_:_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Infallible.zip(
                rig.infallible(0), rig.infallible(1), rig.infallible(2), rig.infallible(3), rig.infallible(4),
                rig.infallible(5),
                rig.infallible(6)
            ) {
                hook.quietly()
                return [$0, $1, $2, $3, $4, $5, $6]
            }
        },
        Row("static Infallible.zip(_:_:_:_:_:_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Infallible.zip(
                rig.infallible(0), rig.infallible(1), rig.infallible(2), rig.infallible(3), rig.infallible(4),
                rig.infallible(5),
                rig.infallible(6), rig.infallible(7)
            ) {
                hook.quietly()
                return [$0, $1, $2, $3, $4, $5, $6, $7]
            }
        },
        Row("static Infallible.combineLatest(_:_:)", "", [.delegates, .survives]) { rig in
            Infallible.combineLatest(rig.infallible(0), rig.infallible(1))
        },
        Row("static Infallible.combineLatest(_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Infallible.combineLatest(rig.infallible(0), rig.infallible(1)) {
                hook.quietly()
                return [$0, $1]
            }
        },
        Row("static Infallible.combineLatest(_:_:_:)", "", [.delegates, .survives]) { rig in
            Infallible.combineLatest(rig.infallible(0), rig.infallible(1), rig.infallible(2))
        },
        Row("static Infallible.combineLatest(_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Infallible.combineLatest(rig.infallible(0), rig.infallible(1), rig.infallible(2)) {
                hook.quietly()
                return [$0, $1, $2]
            }
        },
        Row("static Infallible.combineLatest(_:_:_:_:)", "", [.delegates, .survives]) { rig in
            Infallible.combineLatest(rig.infallible(0), rig.infallible(1), rig.infallible(2), rig.infallible(3))
        },
        Row("static Infallible.combineLatest(_:_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Infallible.combineLatest(rig.infallible(0), rig.infallible(1), rig.infallible(2), rig.infallible(3))
            {
                hook.quietly()
                return [$0, $1, $2, $3]
            }
        },
        Row("static Infallible.combineLatest(_:_:_:_:_:)", "", [.delegates, .survives]) { rig in
            Infallible.combineLatest(
                rig.infallible(0), rig.infallible(1), rig.infallible(2), rig.infallible(3), rig.infallible(4))
        },
        Row("static Infallible.combineLatest(_:_:_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Infallible.combineLatest(
                rig.infallible(0), rig.infallible(1), rig.infallible(2), rig.infallible(3), rig.infallible(4)
            ) {
                hook.quietly()
                return [$0, $1, $2, $3, $4]
            }
        },
        Row("static Infallible.combineLatest(_:_:_:_:_:_:)", "", [.delegates, .survives]) { rig in
            Infallible.combineLatest(
                rig.infallible(0), rig.infallible(1), rig.infallible(2), rig.infallible(3), rig.infallible(4),
                rig.infallible(5))
        },
        Row("static Infallible.combineLatest(_:_:_:_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Infallible.combineLatest(
                rig.infallible(0), rig.infallible(1), rig.infallible(2), rig.infallible(3), rig.infallible(4),
                rig.infallible(5)
            ) {
                hook.quietly()
                return [$0, $1, $2, $3, $4, $5]
            }
        },
        Row("static Infallible.combineLatest(_:_:_:_:_:_:_:)", "", [.delegates, .survives]) { rig in
            Infallible.combineLatest(
                rig.infallible(0), rig.infallible(1), rig.infallible(2), rig.infallible(3), rig.infallible(4),
                rig.infallible(5),
                rig.infallible(6))
        },
        Row("static Infallible.combineLatest(_:_:_:_:_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Infallible.combineLatest(
                rig.infallible(0), rig.infallible(1), rig.infallible(2), rig.infallible(3), rig.infallible(4),
                rig.infallible(5),
                rig.infallible(6)
            ) {
                hook.quietly()
                return [$0, $1, $2, $3, $4, $5, $6]
            }
        },
        Row("static Infallible.combineLatest(_:_:_:_:_:_:_:_:)", "", [.delegates, .survives]) { rig in
            Infallible.combineLatest(
                rig.infallible(0), rig.infallible(1), rig.infallible(2), rig.infallible(3), rig.infallible(4),
                rig.infallible(5),
                rig.infallible(6), rig.infallible(7))
        },
        Row("static Infallible.combineLatest(_:_:_:_:_:_:_:_:resultSelector:)", "", [.delegates, .survives]) { rig in
            let hook = rig.hook()
            return Infallible.combineLatest(
                rig.infallible(0), rig.infallible(1), rig.infallible(2), rig.infallible(3), rig.infallible(4),
                rig.infallible(5),
                rig.infallible(6), rig.infallible(7)
            ) {
                hook.quietly()
                return [$0, $1, $2, $3, $4, $5, $6, $7]
            }
        },
    ]
}
