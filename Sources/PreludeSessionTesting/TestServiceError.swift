/// A test asked for something that the service cannot do; the text says what to do instead.
public struct TestServiceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, and the remedy.
    public let description: String

    init(_ description: String) { self.description = description }
}
