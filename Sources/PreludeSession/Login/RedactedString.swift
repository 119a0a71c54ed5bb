/// A secret text that never shows: not by `print`, not by `dump`, not in a debugger's summary.
public struct RedactedString: Sendable, Hashable {
    /// The secret itself.
    public let value: String

    /// Wraps a secret.
    ///
    /// - Parameter value: The secret itself.
    public init(_ value: String) { self.value = value }
}

extension RedactedString: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
