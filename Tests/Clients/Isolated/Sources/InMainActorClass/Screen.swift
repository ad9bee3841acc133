import RxCocoa
import RxRelay
import RxResilience
import RxSwift
import Support

@MainActor
final class Screen {
    func show() async {
        // BODY
        print("InMainActorClass passed")
    }
}

@main
enum Program {
    static func main() async { await Screen().show() }
}
