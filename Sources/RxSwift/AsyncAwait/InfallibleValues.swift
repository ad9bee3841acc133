extension InfallibleType {
    /// The elements for a `for await` loop, with a limit on waiting elements.
    ///
    ///     for await position in positions.values(buffering: .newest(1)) {
    ///         await draw(position)  // positions sent during this call are dropped, except the latest
    ///     }
    ///
    /// Like ``ObservableConvertibleType/values(buffering:)``, except that the loop subscribes on its own actor and
    /// cannot throw. After a cancellation the loop ends; check `Task.isCancelled` if necessary. An error of the
    /// sequence, or the overflow of a source that cannot pause, goes to ``Hooks/defaultErrorHandler`` and ends the
    /// loop.
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

    /// Returns an iterator, which subscribes when its first element is requested.
    public func makeAsyncIterator() -> Iterator {
        Iterator(values.makeAsyncIterator())
    }

    /// An iterator of the elements. Only one task at a time may use it.
    public struct Iterator: AsyncIteratorProtocol {
        private var iterator: BoundedValues<Element>.Iterator

        init(_ iterator: BoundedValues<Element>.Iterator) {
            self.iterator = iterator
        }

        /// The next element; nil at the end of the sequence and after a cancellation.
        public mutating func next() async -> Element? {
            await next(isolation: nil)
        }

        /// Like ``next()``. The first call subscribes on `isolation`, the actor of the loop.
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
