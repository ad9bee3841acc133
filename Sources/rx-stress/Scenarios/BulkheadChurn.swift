import RxResilience
import RxSwift

struct BulkheadChurn: Scenario {
    static let name = "bulkhead"
    static let summary = "Calls and tasks end or are cancelled while a bulkhead admits them: every permit is returned"

    func round(_ round: Round) {
        let limit = 1 + round.random.below(3)
        let bulkhead = Bulkhead(limit, waiting: round.random.below(2 * round.threads))
        let check = PermitCheck(limit: limit, "bulkhead", round.violations)
        let pairs = Pairs(round)
        let withTasks = round.random.oneIn(2)
        let begun = Counter(), ended = Counter()

        round.run { worker in
            var tasks: [Task<Void, Never>] = []
            if withTasks {
                for _ in 0..<20 {
                    begun.add()
                    tasks.append(
                        Task {
                            try? await bulkhead.run { check.begin().end() }
                            ended.add()
                        })
                }
            }
            pairs.race(worker, check, calls: 60) { $0.admitted(by: bulkhead) }
            for (index, task) in tasks.enumerated() where index % 2 == 0 { task.cancel() }
        }

        round.settle("the end of all tasks") { ended.value == begun.value }
        round.expect(bulkhead.waiting == 0, "\(bulkhead.waiting) calls wait for nothing")
        check.finish(available: bulkhead.available)
    }
}
