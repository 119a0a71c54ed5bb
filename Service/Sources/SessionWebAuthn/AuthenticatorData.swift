internal import Crypto

/// What an authenticator signs besides the client data (§6.1).
struct AuthenticatorData: Sendable {
    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        static let userPresent = Flags(rawValue: 0x01)
        static let userVerified = Flags(rawValue: 0x04)
        static let backupEligible = Flags(rawValue: 0x08)
        static let backedUp = Flags(rawValue: 0x10)
        static let hasCredential = Flags(rawValue: 0x40)
        static let hasExtensions = Flags(rawValue: 0x80)
    }

    /// The new credential of a registration (§6.5.1).
    struct Credential: Sendable {
        let aaguid: [UInt8]
        let id: [UInt8]
        /// The key as COSE, with the bytes of the authenticator.
        let publicKey: [UInt8]
    }

    /// The longest data: a credential id of 1023 bytes, the longest RSA key, and extensions.
    static let maximumSize = 8192
    static let maximumCredentialIDSize = 1023

    let bytes: [UInt8]
    let flags: Flags
    let counter: UInt32
    let credential: Credential?

    var relyingPartyIDHash: ArraySlice<UInt8> { bytes[..<32] }

    /// Reads the data. Its extensions must be well-formed; their values are ignored. Reserved flags are ignored (§6.1).
    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        guard bytes.count <= Self.maximumSize else { throw .tooLong(.authenticatorData) }
        guard bytes.count >= 37 else { throw .malformedAuthenticatorData }
        self.bytes = bytes
        flags = Flags(rawValue: bytes[32])
        counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var end = 37
        credential = flags.contains(.hasCredential) ? try Self.readCredential(bytes, &end) : nil
        if flags.contains(.hasExtensions) {
            var reader = CBORReader(bytes, at: end, keys: .canonical)
            guard try reader.read().mapValue != nil else { throw .malformedAuthenticatorData }
            end = reader.position
        }
        guard end == bytes.count else { throw .malformedAuthenticatorData }
        guard flags.contains(.backupEligible) || !flags.contains(.backedUp) else { throw .backedUpWithoutEligibility }
    }

    private static func readCredential(_ bytes: [UInt8], _ end: inout Int) throws(WebAuthnError) -> Credential {
        guard bytes.count >= end + 18 else { throw .malformedAuthenticatorData }
        let aaguid = Array(bytes[end..<end + 16])
        let size = Int(bytes[end + 16]) << 8 | Int(bytes[end + 17])
        guard size <= maximumCredentialIDSize else { throw .tooLong(.credentialID) }
        let start = end + 18
        guard bytes.count >= start + size else { throw .malformedAuthenticatorData }
        var reader = CBORReader(bytes, at: start + size, keys: .canonical)
        guard try reader.read().mapValue != nil else { throw .malformedKey }
        end = reader.position
        return Credential(
            aaguid: aaguid, id: Array(bytes[start..<start + size]), publicKey: Array(bytes[start + size..<end]))
    }

    /// Checks the RP id and the user's presence and verification (§7.1, §7.2).
    ///
    /// - Returns: The RP id.
    func check(
        _ relyingParty: RelyingParty, requiresUserPresence: Bool, requiresUserVerification: Bool
    ) throws(WebAuthnError) -> String {
        guard
            let id = relyingParty.ids.first(where: {
                SHA256.hash(data: Array($0.utf8)).elementsEqual(relyingPartyIDHash)
            })
        else { throw .wrongRelyingParty }
        guard flags.contains(.userPresent) || !requiresUserPresence else { throw .userNotPresent }
        guard flags.contains(.userVerified) || !requiresUserVerification else { throw .userNotVerified }
        return id
    }
}
