/// A mistake in a test. The text says what to do instead.
public struct TestServiceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let description: String

    init(_ description: String) { self.description = description }
}
