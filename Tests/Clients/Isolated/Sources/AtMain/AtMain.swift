import RxCocoa
import RxRelay
import RxResilience
import RxSwift
import Support

@main
enum AtMain {
    @MainActor
    static func main() async {
        // BODY
        print("AtMain passed")
    }
}
