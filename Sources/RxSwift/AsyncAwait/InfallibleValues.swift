extension InfallibleType {
    /// The elements for a `for await` loop, with a bound on the elements that wait for the loop.
    ///
    ///     for await position in positions.values(buffering: .newest(1)) {
    ///         await draw(position)  // skips all but the latest of the positions sent during the call
    ///     }
    ///
    /// Like `values(buffering:)` of an observable, except that the loop subscribes on its own actor and cannot throw.
    /// It ends after a cancellation; check `Task.isCancelled` if necessary. If the sequence fails, or overflows because
    /// its source cannot pause, ``Hooks/defaultErrorHandler`` receives the error, and the loop ends.
    ///
    /// - Parameter buffering: the maximum number of waiting elements, and the policy for more.
    public func values(buffering: Buffering) -> InfallibleValues<Element> {
        InfallibleValues(BoundedValues(asObservable(), buffering.checked(by: "values")))
    }
}

/// The result of ``InfallibleType/values(buffering:)``.
public struct InfallibleValues<Element>: AsyncSequence, Sendable {
    private let values: BoundedValues<Element>

    init(_ values: BoundedValues<Element>) {
        self.values = values
    }

    /// Returns an iterator that subscribes when its first element is requested.
    public func makeAsyncIterator() -> Iterator {
        Iterator(values.makeAsyncIterator())
    }

    /// Takes elements. Only one task at a time may use it.
    public struct Iterator: AsyncIteratorProtocol {
        private var iterator: BoundedValues<Element>.Iterator

        init(_ iterator: BoundedValues<Element>.Iterator) {
            self.iterator = iterator
        }

        /// The next element; nil at the end of the sequence and after a cancellation.
        public mutating func next() async -> Element? {
            await next(isolation: nil)
        }

        /// See ``next()``. The first call subscribes on `isolation`, the actor of the loop.
        public mutating func next(isolation: isolated (any Actor)?) async -> Element? {
            do {
                return try await iterator.next(on: isolation)
            } catch is CancellationError {
                return nil
            } catch {
                Hooks.defaultErrorHandler([], error)
                return nil
            }
        }
    }
}
