import RxSwift

// In Swift 6 mode, top-level variables belong to the main actor. Other threads run the closures that capture them.
let numbers = PublishSubject<Int>()
var total = 0
var names: [String] = []

@MainActor func add(_ number: Int) { total += number }

let sums = numbers.subscribe(onNext: { total += $0 })
// A function of the main actor cannot be passed by name.
#if swift(>=6)
    let adds = numbers.subscribe(onNext: { add($0) })
#else
    let adds = numbers.subscribe(onNext: add)
#endif
let texts = numbers.map { "\($0) of \(total)" }.subscribe(onNext: { names.append($0) })
offMain { numbers.onNext(4) }
expect(total, 8)
expect(names, ["4 of 8"])
sums.dispose()

functions()
captures()
mainActors()
operators()
relays()
await actors()
let people = try await directory()
try await search(people)
try await server(people)
virtualTime()
print("shapes passed")
