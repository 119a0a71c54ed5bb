/// A parameter or an option of a verifier has an invalid value.
public struct VerifierConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the parameter or option.
    public let field: String
    /// What the value must be.
    public let message: String

    init(_ field: String, _ message: String) {
        self.field = field
        self.message = message
    }

    /// The field and what it must be.
    public var description: String { "\(field) \(message)" }
}
