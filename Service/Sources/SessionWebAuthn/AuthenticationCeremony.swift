internal import SessionTokens

/// What a client sends to prove that it has a credential (`AuthenticatorAssertionResponse`, §5.2.2).
package struct AssertionResponse: Sendable {
    package var credentialID: [UInt8]
    package var clientDataJSON: [UInt8]
    package var authenticatorData: [UInt8]
    package var signature: [UInt8]
    /// `nil` if the authenticator does not store it.
    package var userHandle: [UInt8]?

    package init(
        credentialID: [UInt8], clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8],
        userHandle: [UInt8]? = nil
    ) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }
}

/// What a relying party has stored of a credential.
package struct StoredCredential: Sendable {
    package var id: [UInt8]
    /// The public key as COSE.
    package var publicKey: [UInt8]
    package var isBackupEligible: Bool
    /// The id of the credential's user for authenticators.
    package var userHandle: [UInt8]

    package init(id: [UInt8], publicKey: [UInt8], isBackupEligible: Bool, userHandle: [UInt8]) {
        self.id = id
        self.publicKey = publicKey
        self.isBackupEligible = isBackupEligible
        self.userHandle = userHandle
    }
}

/// A verified assertion: what a relying party stores and decides by.
package struct VerifiedAssertion: Hashable, Sendable {
    /// The caller compares it with the last one (§6.1.1).
    package let counter: UInt32
    package let isUserVerified: Bool
    package let isBackedUp: Bool
}

/// Verifies an assertion (§7.2). The caller checks that the challenge is its own and unused, and finds the stored credential by
/// the id in the response.
package struct AuthenticationCeremony: Sendable {
    /// The longest signature is that of an RSA key of 4096 bits.
    static let maximumSignatureSize = 512

    package var relyingParty: RelyingParty
    package var challenge: [UInt8]
    package var requiresUserVerification: Bool

    package init(relyingParty: RelyingParty, challenge: [UInt8], requiresUserVerification: Bool) {
        self.relyingParty = relyingParty
        self.challenge = challenge
        self.requiresUserVerification = requiresUserVerification
    }

    /// Verifies a response. The signature is verified last, so all other errors are known without it: they prove nothing
    /// about the sender.
    package func verify(
        _ response: AssertionResponse, for stored: StoredCredential
    ) throws(WebAuthnError) -> VerifiedAssertion {
        guard response.credentialID == stored.id else { throw .wrongCredentialID }
        if let userHandle = response.userHandle, !ConstantTime.equal(userHandle, stored.userHandle) {
            throw .wrongUserHandle
        }
        let clientData = try ClientData(response.clientDataJSON)
        try clientData.check(.get, challenge: challenge, relyingParty)

        let data = try AuthenticatorData(response.authenticatorData)
        _ = try data.check(
            relyingParty, requiresUserPresence: true, requiresUserVerification: requiresUserVerification)
        guard data.flags.contains(.backupEligible) == stored.isBackupEligible else { throw .backupEligibilityChanged }

        guard response.signature.count <= Self.maximumSignatureSize else { throw .tooLong(.signature) }
        guard try COSEKey(stored.publicKey).isValidSignature(response.signature, for: data.bytes + clientData.hash)
        else { throw .wrongSignature }
        return VerifiedAssertion(
            counter: data.counter, isUserVerified: data.flags.contains(.userVerified),
            isBackedUp: data.flags.contains(.backedUp))
    }
}
