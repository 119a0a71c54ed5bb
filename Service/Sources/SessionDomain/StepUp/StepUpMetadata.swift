/// Values that a client sends with a step-up request: at most 5 short texts.
package struct StepUpMetadata: Sendable, Equatable {
    package let values: [String: String]

    package static let identifier = "identifier"

    /// - Throws: `Refusal.invalidMetadata` with the key that exceeds a limit.
    package init(_ values: [String: String]?) throws(Refusal) {
        let values = values ?? [:]
        guard values.count <= 5 else { throw .invalidMetadata("metadata must have at most 5 keys") }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            guard (1...12).contains(key.unicodeScalars.count) else {
                throw .invalidMetadata("metadata keys must have 1 to 12 characters")
            }
            let limit = key == Self.identifier ? 320 : 32
            guard value.unicodeScalars.count <= limit else {
                throw .invalidMetadata("metadata.\(key) must have at most \(limit) characters")
            }
        }
        self.values = values
    }

    /// The identifier that a register scope adds.
    func newIdentifier(of type: IdentifierType) throws(Refusal) -> CanonicalIdentifier {
        guard let value = values[Self.identifier] else {
            throw .invalidMetadata("metadata.identifier is required: the value to register")
        }
        do {
            return try CanonicalIdentifier(type: type.rawValue, value: value, field: "metadata.identifier")
        } catch {
            if case .invalidIdentifier(let message) = error { throw .invalidMetadata(message) }
            throw error
        }
    }
}
