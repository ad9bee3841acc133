import Glibc

/// The soak. `Scenarios` contains the work, `Checks` the invariants.
@main
enum RxStress {
    static func main() {
        let options = Options.parsedOrExit()
        if options.list {
            let width = Catalogue.all.map { $0.name.count }.max() ?? 0
            for scenario in Catalogue.all {
                print(scenario.name + String(repeating: " ", count: width + 2 - scenario.name.count) + scenario.summary)
            }
            return
        }
        if options.selfTest {
            quit(SelfTest.run() ? 0 : 1)
        }
        let plan = options.planOrExit()
        Ticker.claimSignals()
        Soak(plan).run()
    }
}

func quit(_ status: Int32) -> Never {
    fflush(nil)
    exit(status)
}

func complain(_ message: String) {
    var line = "rx-stress: \(message)\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
