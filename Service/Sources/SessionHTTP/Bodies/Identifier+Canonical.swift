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
    /// - Parameters:
    ///   - field: The name of the body's field, for the error.
    ///   - isSearched: Whether it is only searched for, so that characters of earlier versions are accepted.
    init(_ identifier: Identifier, field: String = "identifier", isSearched: Bool = false) throws(Refusal) {
        self = try CanonicalIdentifier(
            type: identifier.type, value: identifier.value, field: field, isSearched: isSearched)
    }
}
