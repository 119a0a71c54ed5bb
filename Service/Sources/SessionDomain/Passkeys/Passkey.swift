package import Foundation
internal import SessionTokens

/// A passkey of a user: the "credential record" of WebAuthn Level 3 §4.
package struct Passkey: Sendable, Equatable {
    /// The most passkeys that a user has.
    package static let maximumPerUser = 20
    /// The most characters of a nickname.
    package static let maximumNickname = 64

    /// The credential id in base64url. No two users of an app have the same.
    package let id: String
    package let appID: AppID
    package let userID: String
    /// The id of the user for authenticators: 64 random bytes, the same for all passkeys of a user (§5.4.3).
    package let userHandle: Data
    /// The public key as COSE (RFC 9052), with the bytes of the authenticator.
    package let publicKey: Data
    /// The last counter of signatures. Passkeys that are synchronized have 0 (§6.1.1).
    package var counter: Int64
    /// The model of the authenticator, 16 bytes. Zeros: it does not say.
    package let aaguid: Data
    /// The RP id that the passkey is bound to.
    package let relyingPartyID: String
    /// How a client reaches the authenticator. The client claims it.
    package let transports: [String]
    package let isBackupEligible: Bool
    package var isBackedUp: Bool
    /// The name in the user's list.
    package var nickname: String?
    package let createdAt: Timestamp
    package var lastUsedAt: Timestamp?

    package init(
        id: String, appID: AppID, userID: String, userHandle: Data, publicKey: Data, counter: Int64, aaguid: Data,
        relyingPartyID: String, transports: [String], isBackupEligible: Bool, isBackedUp: Bool, nickname: String?,
        createdAt: Timestamp, lastUsedAt: Timestamp? = nil
    ) {
        self.id = id
        self.appID = appID
        self.userID = userID
        self.userHandle = userHandle
        self.publicKey = publicKey
        self.counter = counter
        self.aaguid = aaguid
        self.relyingPartyID = relyingPartyID
        self.transports = transports
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.nickname = nickname
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }

    /// The model of an authenticator as a UUID in lower case.
    ///
    /// - Parameter aaguid: The AAGUID, 16 bytes. `nil` for any other number.
    package static func model(_ aaguid: some Collection<UInt8>) -> String? {
        guard aaguid.count == 16 else { return nil }
        return Array(aaguid).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString.lowercased() }
    }

    /// - Returns: `nil` for the empty text, which removes a nickname.
    /// - Throws: `Refusal.invalidField` unless it is one line.
    static func nickname(_ text: String?) throws(Refusal) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard text.count <= maximumNickname, text.utf8.count <= 4 * maximumNickname, DisplayName.isOneLine(text) else {
            throw .invalidField(
                "nickname",
                "must be one line of at most \(maximumNickname) characters, without control characters and outer spaces"
            )
        }
        return text
    }
}
