/// Errors need not be `Equatable`: two are the same here when they describe themselves alike.
private func sameError(_ lhs: any Error, _ rhs: any Error) -> Bool {
    "\(lhs)" == "\(rhs)"
}

extension Event: Equatable where Element: Equatable {
    /// Whether both are the same event; errors are compared by their descriptions.
    public static func == (lhs: Event<Element>, rhs: Event<Element>) -> Bool {
        switch (lhs, rhs) {
        case (.next(let left), .next(let right)): left == right
        case (.error(let left), .error(let right)): sameError(left, right)
        case (.completed, .completed): true
        case (.next, _), (.error, _), (.completed, _): false
        }
    }
}

extension MaybeEvent: Equatable where Element: Equatable {
    /// Whether both are the same event; errors are compared by their descriptions.
    public static func == (lhs: MaybeEvent<Element>, rhs: MaybeEvent<Element>) -> Bool {
        switch (lhs, rhs) {
        case (.success(let left), .success(let right)): left == right
        case (.error(let left), .error(let right)): sameError(left, right)
        case (.completed, .completed): true
        case (.success, _), (.error, _), (.completed, _): false
        }
    }
}

extension CompletableEvent: Equatable {
    /// Whether both are the same event; errors are compared by their descriptions.
    public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool {
        switch (lhs, rhs) {
        case (.error(let left), .error(let right)): sameError(left, right)
        case (.completed, .completed): true
        case (.error, _), (.completed, _): false
        }
    }
}

/// Whether both are the same event. `Result` is the standard library's, so it gets no conformance here.
func isEqual<Element: Equatable>(_ lhs: SingleEvent<Element>, _ rhs: SingleEvent<Element>) -> Bool {
    switch (lhs, rhs) {
    case (.success(let left), .success(let right)): left == right
    case (.failure(let left), .failure(let right)): sameError(left, right)
    case (.success, _), (.failure, _): false
    }
}
