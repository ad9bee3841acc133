import TestSupport
import Testing

/// Runs `body`, which must report one failure, and returns the text of this failure.
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
