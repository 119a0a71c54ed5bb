package import Foundation

/// What a client sends to register a credential (`AuthenticatorAttestationResponse`, §5.2.1).
package struct RegistrationResponse: Sendable {
    package var credentialID: [UInt8]
    package var clientDataJSON: [UInt8]
    package var attestationObject: [UInt8]
    package var transports: [String]

    package init(
        credentialID: [UInt8], clientDataJSON: [UInt8], attestationObject: [UInt8], transports: [String] = []
    ) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
        self.transports = transports
    }
}

/// A new credential whose response was verified: what a relying party stores (§4, "credential record").
package struct RegisteredCredential: Sendable {
    package let id: [UInt8]
    /// The RP id that the credential is bound to.
    package let relyingPartyID: String
    /// The public key as COSE, with the bytes of the authenticator.
    package let publicKey: [UInt8]
    package let algorithm: COSEAlgorithm
    package let counter: UInt32
    /// The model of the authenticator, 16 bytes. Proven only by a trusted attestation, and never by `fido-u2f`, which does not
    /// sign it.
    package let aaguid: [UInt8]
    /// How a client reaches the authenticator. The client claims it.
    package let transports: [String]
    package let isUserPresent: Bool
    package let isUserVerified: Bool
    package let isBackupEligible: Bool
    package let isBackedUp: Bool
    package fileprivate(set) var attestation: Attestation
}

/// Verifies the registration of a credential (§7.1). The caller checks that the challenge is its own and unused, and that no
/// user has the credential id.
package struct RegistrationCeremony: Sendable {
    /// The longest object: a statement with the longest chain of certificates.
    static let maximumSize = 65_536

    package var relyingParty: RelyingParty
    package var challenge: [UInt8]
    package var requiresUserVerification: Bool
    /// `false` only for a credential that a client creates without the user's action (§5.1.3, conditional mediation).
    package var requiresUserPresence = true
    package var algorithms = COSEAlgorithm.forCredentials
    package var trustAnchors = TrustAnchors()

    package init(relyingParty: RelyingParty, challenge: [UInt8], requiresUserVerification: Bool) {
        self.relyingParty = relyingParty
        self.challenge = challenge
        self.requiresUserVerification = requiresUserVerification
    }

    /// Verifies a response.
    ///
    /// - Parameter time: When the certificates of the attestation must be valid.
    /// - Returns: The credential. Its attestation may be of an unknown format or not trusted: the caller decides.
    package func verify(
        _ response: RegistrationResponse, at time: Date
    ) async throws(WebAuthnError) -> RegisteredCredential {
        var (credential, chain) = try verifyStatement(response)
        if let chain { credential.attestation.isTrusted = await trustAnchors.trust(chain, at: time) }
        return credential
    }

    /// Verifies all but the trust in the certificates.
    func verifyStatement(
        _ response: RegistrationResponse
    ) throws(WebAuthnError) -> (credential: RegisteredCredential, chain: AttestationChain?) {
        let clientData = try ClientData(response.clientDataJSON)
        try clientData.check(.create, challenge: challenge, relyingParty)

        guard response.attestationObject.count <= Self.maximumSize else { throw .tooLong(.attestationObject) }
        // Clients and password managers write the object. Some do not sort its keys, and it is neither signed nor stored.
        guard let object = try CBOR.read(response.attestationObject, keys: .any).mapValue,
            let format = object["fmt"]?.textValue, let statement = object["attStmt"]?.mapValue,
            let bytes = object["authData"]?.bytesValue
        else { throw .malformedAttestationObject }

        let data = try AuthenticatorData(bytes)
        let relyingPartyID = try data.check(
            relyingParty, requiresUserPresence: requiresUserPresence,
            requiresUserVerification: requiresUserVerification)
        guard let credential = data.credential else { throw .malformedAuthenticatorData }
        guard !credential.id.isEmpty, credential.id == response.credentialID else { throw .wrongCredentialID }
        let key = try COSEKey(credential.publicKey)
        guard algorithms.contains(key.algorithm) else { throw .algorithmNotAllowed(key.algorithm.rawValue) }

        let verified: (attestation: Attestation, chain: AttestationChain?)
        do throws(AttestationFault) {
            verified = try AttestationStatement(
                members: statement, data: data, credential: credential, key: key, clientDataHash: clientData.hash
            ).verify(format)
        } catch {
            throw .attestation(error)
        }
        let registered = RegisteredCredential(
            id: credential.id, relyingPartyID: relyingPartyID, publicKey: credential.publicKey,
            algorithm: key.algorithm, counter: data.counter, aaguid: credential.aaguid,
            transports: Self.known(response.transports), isUserPresent: data.flags.contains(.userPresent),
            isUserVerified: data.flags.contains(.userVerified),
            isBackupEligible: data.flags.contains(.backupEligible), isBackedUp: data.flags.contains(.backedUp),
            attestation: verified.attestation)
        return (registered, verified.chain)
    }

    /// The transports in the form of the registered ones (§5.8.4), also those that are not registered yet, without
    /// duplicates and sorted. Others are dropped, because a client chose them.
    private static func known(_ transports: [String]) -> [String] {
        let valid = transports.lazy.filter { transport in
            (1...32).contains(transport.utf8.count)
                && transport.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
        }
        return Array(Set(valid.prefix(8))).sorted()
    }
}
