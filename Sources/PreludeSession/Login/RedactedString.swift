/// A secret text that `print`, `dump` and debuggers show as `<redacted>`.
public struct RedactedString: Sendable, Hashable {
    /// The secret.
    public var value: String

    /// Wraps a secret.
    ///
    /// - Parameter value: The secret.
    public init(_ value: String) { self.value = value }
}

extension RedactedString: ExpressibleByStringLiteral {
    /// Wraps a literal, as tests and previews use it.
    public init(stringLiteral value: String) { self.init(value) }
}

extension RedactedString: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
