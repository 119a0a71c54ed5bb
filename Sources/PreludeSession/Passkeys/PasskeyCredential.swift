public import Foundation
internal import SessionWire

/// The options of a new passkey.
public struct RegisterPasskeyOptions: Sendable, Hashable, Codable {
    /// The name of the account, such as its e-mail address. The password manager shows it.
    public var username: String
    /// The name of the user, for display. `nil` leaves it to the service.
    public var displayName: String?
    /// The name of the passkey in the user's list, such as `Ada's iPhone`. `nil` is no name.
    public var nickname: String?

    /// Creates the options of a new passkey.
    ///
    /// - Parameters:
    ///   - username: The name of the account.
    ///   - displayName: The name of the user, for display. `nil` leaves it to the service.
    ///   - nickname: The name of the passkey in the user's list. `nil` is no name.
    public init(username: String, displayName: String? = nil, nickname: String? = nil) {
        self.username = username
        self.displayName = displayName
        self.nickname = nickname
    }
}

/// The options of a login with a passkey.
public struct PasskeyLoginOptions: Sendable, Hashable, Codable {
    /// Whether passkeys are offered above the keyboard, while a text field for the user name has the focus. `false`
    /// shows a sheet.
    ///
    /// Needs iOS 16 or visionOS. Elsewhere the login throws an error with the code `passkey_not_supported`.
    public var autofill: Bool
    /// Whether only passkeys of this device are offered. Without one the call throws `CancellationError`, and no sheet
    /// is shown. `false` also offers the passkeys of another device, by a QR code. It has no effect with `autofill`.
    public var preferImmediatelyAvailableCredentials: Bool

    /// Creates the options of a login with a passkey.
    ///
    /// - Parameters:
    ///   - autofill: Whether passkeys are offered above the keyboard.
    ///   - preferImmediatelyAvailableCredentials: Whether only passkeys of this device are offered.
    public init(autofill: Bool = false, preferImmediatelyAvailableCredentials: Bool = false) {
        self.autofill = autofill
        self.preferImmediatelyAvailableCredentials = preferImmediatelyAvailableCredentials
    }
}

/// A passkey of the user.
public struct PasskeyCredential: Sendable, Hashable, Identifiable {
    /// The id of the passkey, base64url, for `PreludeSessionClient.renamePasskey(id:nickname:)` and
    /// `PreludeSessionClient.deletePasskey(id:)`.
    public var credentialID: String
    /// The name in the user's list. `nil` if it has none.
    public var nickname: String?
    /// How a client reaches the authenticator, such as `internal` or `usb` (WebAuthn Level 3 §5.8.4). `nil` if that is
    /// not known.
    public var transports: [String]?
    /// Whether a password manager has copied the passkey to other devices or to a backup. `nil` if that is not known.
    public var backupState: Bool?
    /// When it was registered. `nil` if the service does not say it.
    public var createdAt: Date?
    /// When it was used last. `nil` before the first use.
    public var lastUsedAt: Date?

    /// As `credentialID`.
    public var id: String { credentialID }

    /// Creates a passkey, for previews and tests.
    ///
    /// - Parameters:
    ///   - credentialID: The id of the passkey, base64url.
    ///   - nickname: The name in the user's list.
    ///   - transports: How a client reaches the authenticator.
    ///   - backupState: Whether it was copied to other devices or to a backup.
    ///   - createdAt: When it was registered.
    ///   - lastUsedAt: When it was used last.
    public init(
        credentialID: String, nickname: String? = nil, transports: [String]? = nil, backupState: Bool? = nil,
        createdAt: Date? = nil, lastUsedAt: Date? = nil
    ) {
        self.credentialID = credentialID
        self.nickname = nickname
        self.transports = transports
        self.backupState = backupState
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }

    init(_ body: PasskeyView) {
        self.init(
            credentialID: body.credentialID, nickname: body.nickname, transports: body.transports,
            backupState: body.backupState, createdAt: body.createdAt.map(Self.date),
            lastUsedAt: body.lastUsedAt.map(Self.date))
    }

    private static func date(_ seconds: Int64) -> Date { Date(timeIntervalSince1970: TimeInterval(seconds)) }
}

/// A registered passkey.
public struct PasskeyRegistrationResult: Sendable, Hashable {
    /// The passkey.
    public var credential: PasskeyCredential
    /// Whether the service had this passkey before.
    public var alreadyRegistered: Bool

    /// Creates a result, for previews and tests.
    ///
    /// - Parameters:
    ///   - credential: The passkey.
    ///   - alreadyRegistered: Whether the service had this passkey before.
    public init(credential: PasskeyCredential, alreadyRegistered: Bool = false) {
        self.credential = credential
        self.alreadyRegistered = alreadyRegistered
    }

    init(_ body: FinishPasskeyRegistrationResponse) {
        self.init(
            credential: PasskeyCredential(body.credential), alreadyRegistered: body.alreadyRegistered ?? false)
    }
}
