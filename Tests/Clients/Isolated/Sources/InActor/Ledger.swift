import RxCocoa
import RxRelay
import RxResilience
import RxSwift
import Support

actor Ledger {
    func follow() async {
        // BODY
        print("InActor passed")
    }
}

@main
enum Program {
    static func main() async { await Ledger().follow() }
}
