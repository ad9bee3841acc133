import RxCocoa
import RxRelay
import RxResilience
import RxSwift
import Support

// Top-level code is isolated to the main actor.
// BODY
print("TopLevel passed")
