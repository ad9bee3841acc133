import TestSupport
import Testing

func report(_ body: () -> Void) -> String {
    let reports = Log()
    withKnownIssue {
        body()
    } matching: { issue in
        reports(issue.comments.first?.rawValue ?? "")
        return true
    }
    return reports.text
}
