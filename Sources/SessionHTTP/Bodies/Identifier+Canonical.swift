import SessionDomain
import SessionWire

extension Identifier {
    /// An identifier as both APIs show it.
    init(_ identifier: CanonicalIdentifier) {
        self.init(type: identifier.type.rawValue, value: identifier.value)
    }
}

extension CanonicalIdentifier {
    /// Reads an identifier of a request.
    ///
    /// - Parameter field: The name of the body's field, for the error.
    init(_ identifier: Identifier, field: String = "identifier") throws(Refusal) {
        self = try CanonicalIdentifier(type: identifier.type, value: identifier.value, field: field)
    }
}
