/// A verifier was configured with something that cannot work.
public struct VerifierConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The parameter or option.
    public let field: String
    /// What it must be.
    public let message: String

    init(_ field: String, _ message: String) {
        self.field = field
        self.message = message
    }

    /// Field and remedy.
    public var description: String { "\(field) \(message)" }
}
