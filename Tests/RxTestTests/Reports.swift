import TestSupport
import Testing

/// The failure of `body`. It must fail.
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
