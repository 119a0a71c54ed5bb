internal import SessionTokens

extension User {
    package static let maximumIdentifiers = 10
    package static let maximumProfileKeys = 50
    /// Bytes of the profile as JSON. Lists of users are read into memory.
    package static let maximumProfileSize = 16 * 1024

    /// Checks a user that an operator provides.
    func validate() throws(Refusal) {
        guard (1...Self.maximumIdentifiers).contains(identifiers.count), Set(identifiers).count == identifiers.count
        else {
            throw .invalidField("identifiers", "must be 1 to \(Self.maximumIdentifiers) different identifiers")
        }
        try Self.validate(externalID: externalID)
        try Self.validate(profile: profile)
    }

    static func validate(externalID: String?) throws(Refusal) {
        guard let externalID else { return }
        guard (1...255).contains(externalID.utf8.count) else {
            throw .invalidField("external_id", "must have 1 to 255 bytes")
        }
    }

    static func validate(profile: [String: JSONValue]) throws(Refusal) {
        guard profile.count <= maximumProfileKeys, profile.keys.allSatisfy({ (1...64).contains($0.utf8.count) }) else {
            throw .invalidField("profile", "must have at most 50 keys of 1 to 64 bytes")
        }
        guard size(of: profile) <= maximumProfileSize else {
            throw .invalidField("profile", "must have at most \(maximumProfileSize) bytes as JSON")
        }
    }

    static func size(of profile: [String: JSONValue]) -> Int {
        (try? TokenJSON.encode(profile).count) ?? 0
    }
}
