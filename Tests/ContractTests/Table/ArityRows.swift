import RxSwift

extension Table {
    static let arityRows: [Row] = [
        Row("static combineLatest(_:_:)") { Observable.combineLatest($0[0], $0[1]) },
        Row("static combineLatest(_:_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.combineLatest(rig[0], rig[1]) {
                try hook()
                return [$0, $1]
            }
        },
        Row("static combineLatest(_:_:_:)") { Observable.combineLatest($0[0], $0[1], $0[2]) },
        Row("static combineLatest(_:_:_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.combineLatest(rig[0], rig[1], rig[2]) {
                try hook()
                return [$0, $1, $2]
            }
        },
        Row("static combineLatest(_:_:_:_:)") { Observable.combineLatest($0[0], $0[1], $0[2], $0[3]) },
        Row("static combineLatest(_:_:_:_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.combineLatest(rig[0], rig[1], rig[2], rig[3]) {
                try hook()
                return [$0, $1, $2, $3]
            }
        },
        Row("static combineLatest(_:_:_:_:_:)") { Observable.combineLatest($0[0], $0[1], $0[2], $0[3], $0[4]) },
        Row("static combineLatest(_:_:_:_:_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.combineLatest(rig[0], rig[1], rig[2], rig[3], rig[4]) {
                try hook()
                return [$0, $1, $2, $3, $4]
            }
        },
        Row("static combineLatest(_:_:_:_:_:_:)") {
            Observable.combineLatest($0[0], $0[1], $0[2], $0[3], $0[4], $0[5])
        },
        Row("static combineLatest(_:_:_:_:_:_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.combineLatest(rig[0], rig[1], rig[2], rig[3], rig[4], rig[5]) {
                try hook()
                return [$0, $1, $2, $3, $4, $5]
            }
        },
        Row("static combineLatest(_:_:_:_:_:_:_:)") {
            Observable.combineLatest($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6])
        },
        Row("static combineLatest(_:_:_:_:_:_:_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.combineLatest(rig[0], rig[1], rig[2], rig[3], rig[4], rig[5], rig[6]) {
                try hook()
                return [$0, $1, $2, $3, $4, $5, $6]
            }
        },
        Row("static combineLatest(_:_:_:_:_:_:_:_:)") {
            Observable.combineLatest($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6], $0[7])
        },
        Row("static combineLatest(_:_:_:_:_:_:_:_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.combineLatest(rig[0], rig[1], rig[2], rig[3], rig[4], rig[5], rig[6], rig[7]) {
                try hook()
                return [$0, $1, $2, $3, $4, $5, $6, $7]
            }
        },
        Row("static zip(_:_:buffering:)") { rig in
            Observable.zip(rig[0], rig[1], buffering: .pausing(100_000))
        },
        Row("static zip(_:_:buffering:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.zip(rig[0], rig[1], buffering: .pausing(100_000)) {
                try hook()
                return [$0, $1]
            }
        },
        Row("static zip(_:_:_:buffering:)") { rig in
            Observable.zip(rig[0], rig[1], rig[2], buffering: .pausing(100_000))
        },
        Row("static zip(_:_:_:buffering:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.zip(rig[0], rig[1], rig[2], buffering: .pausing(100_000)) {
                try hook()
                return [$0, $1, $2]
            }
        },
        Row("static zip(_:_:_:_:buffering:)") { rig in
            Observable.zip(rig[0], rig[1], rig[2], rig[3], buffering: .pausing(100_000))
        },
        Row("static zip(_:_:_:_:buffering:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.zip(rig[0], rig[1], rig[2], rig[3], buffering: .pausing(100_000)) {
                try hook()
                return [$0, $1, $2, $3]
            }
        },
        Row("static zip(_:_:)") { Observable.zip($0[0], $0[1]) },
        Row("static zip(_:_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.zip(rig[0], rig[1]) {
                try hook()
                return [$0, $1]
            }
        },
        Row("static zip(_:_:_:)") { Observable.zip($0[0], $0[1], $0[2]) },
        Row("static zip(_:_:_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.zip(rig[0], rig[1], rig[2]) {
                try hook()
                return [$0, $1, $2]
            }
        },
        Row("static zip(_:_:_:_:)") { Observable.zip($0[0], $0[1], $0[2], $0[3]) },
        Row("static zip(_:_:_:_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.zip(rig[0], rig[1], rig[2], rig[3]) {
                try hook()
                return [$0, $1, $2, $3]
            }
        },
        Row("static zip(_:_:_:_:_:)") { Observable.zip($0[0], $0[1], $0[2], $0[3], $0[4]) },
        Row("static zip(_:_:_:_:_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.zip(rig[0], rig[1], rig[2], rig[3], rig[4]) {
                try hook()
                return [$0, $1, $2, $3, $4]
            }
        },
        Row("static zip(_:_:_:_:_:_:)") { Observable.zip($0[0], $0[1], $0[2], $0[3], $0[4], $0[5]) },
        Row("static zip(_:_:_:_:_:_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.zip(rig[0], rig[1], rig[2], rig[3], rig[4], rig[5]) {
                try hook()
                return [$0, $1, $2, $3, $4, $5]
            }
        },
        Row("static zip(_:_:_:_:_:_:_:)") { Observable.zip($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6]) },
        Row("static zip(_:_:_:_:_:_:_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.zip(rig[0], rig[1], rig[2], rig[3], rig[4], rig[5], rig[6]) {
                try hook()
                return [$0, $1, $2, $3, $4, $5, $6]
            }
        },
        Row("static zip(_:_:_:_:_:_:_:_:)") { Observable.zip($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6], $0[7]) },
        Row("static zip(_:_:_:_:_:_:_:_:resultSelector:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return Observable.zip(rig[0], rig[1], rig[2], rig[3], rig[4], rig[5], rig[6], rig[7]) {
                try hook()
                return [$0, $1, $2, $3, $4, $5, $6, $7]
            }
        },
    ]
}
