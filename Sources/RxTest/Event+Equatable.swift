private func sameError(_ lhs: any Error, _ rhs: any Error) -> Bool {
    "\(lhs)" == "\(rhs)"
}

extension Event: Equatable where Element: Equatable {
    /// Errors are compared by their descriptions.
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
    /// Errors are compared by their descriptions.
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
    /// Errors are compared by their descriptions.
    public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool {
        switch (lhs, rhs) {
        case (.error(let left), .error(let right)): sameError(left, right)
        case (.completed, .completed): true
        case (.error, _), (.completed, _): false
        }
    }
}

// `SingleEvent` cannot conform to `Equatable`: it is a `Result`, which conforms only if its error type does.
extension SingleEvent where Success: Equatable, Failure == any Error {
    /// Errors are compared by their descriptions.
    public static func == (lhs: SingleEvent<Success>, rhs: SingleEvent<Success>) -> Bool {
        switch (lhs, rhs) {
        case (.success(let left), .success(let right)): left == right
        case (.failure(let left), .failure(let right)): sameError(left, right)
        case (.success, _), (.failure, _): false
        }
    }

    /// Errors are compared by their descriptions.
    public static func != (lhs: SingleEvent<Success>, rhs: SingleEvent<Success>) -> Bool {
        !(lhs == rhs)
    }
}

extension Array {
    /// Errors are compared by their descriptions.
    public static func == <Success: Equatable>(lhs: Self, rhs: Self) -> Bool where Element == SingleEvent<Success> {
        lhs.elementsEqual(rhs) { $0 == $1 }
    }

    /// Errors are compared by their descriptions.
    public static func != <Success: Equatable>(lhs: Self, rhs: Self) -> Bool where Element == SingleEvent<Success> {
        !(lhs == rhs)
    }
}
