internal import Foundation
internal import SessionTokens
internal import SessionWebAuthn

/// How the users of an app register passkeys and sign in with them (WebAuthn Level 3).
package struct PasskeyConfig: DatedSettings, SettingsGroup {
    /// Whether the authenticator must verify its user, by a PIN or a biometric (§5.8.6).
    package enum UserVerification: String, Sendable, Codable, CaseIterable {
        case required, preferred, discouraged
    }

    /// What authenticators are asked to prove about themselves (§5.4.7).
    package enum AttestationPreference: String, Sendable, Codable, CaseIterable {
        case none, indirect, direct, enterprise
    }

    package var relyingPartyID = ""
    /// `nil`: the name of the app.
    package var relyingPartyName: String?
    package var allowedOrigins: [String] = []
    package var userVerification = UserVerification.required
    package var attestationPreference = AttestationPreference.none
    package var loginEnabled = true
    /// Scopes that a login with a passkey grants to the session.
    package var grantedScopes: [String] = []
    /// The models of authenticators that may register. Empty: all.
    package var allowedAAGUIDs: [String] = []
    /// Trust anchors for attestations: certificates in DER, in base64.
    package var attestationRoots: [String] = []
    /// Apps of Apple, such as `A1B2C3D4E5.com.example.app`.
    package var iosAppIDs: [String] = []
    /// Apps of Android: the package, a space, and the SHA-256 of the certificate that signs it.
    package var androidApps: [String] = []
    package var refusesLowerCounter = true
    /// Whether users with a passkey sign in with codes, too.
    package var codesWithPasskey = true
    package var createdAt = Timestamp.never
    package var updatedAt = Timestamp.never

    package init() {}
}

extension PasskeyConfig {
    package static let defaults = Self()
    package static var place: any WritableKeyPath<App, Self> & Sendable { \.passkeySettings }
    package static func isConfigured(in app: App) -> Bool { app.passkeys != nil }

    package static let schema = SettingsSchema<Self>(
        "passkey",
        [
            .init(
                nil,
                [
                    .text(
                        "rp_id", \.relyingPartyID, "RP ID",
                        hint:
                            "Your domain, such as example.com. Passkeys are bound to it, so a change makes all of them void."
                    )
                    .checked { config, _ throws(Refusal) in
                        guard isRelyingPartyID(config.relyingPartyID) else {
                            throw .invalidField(
                                "rp_id", "must be a host in lower case, such as example.com, or localhost")
                        }
                    }.stored(as: "relyingPartyID"),
                    .text("rp_name", \.relyingPartyName, "RP name", hint: "Empty: the name of the app.")
                        .checked { config, _ throws(Refusal) in
                            guard let name = config.relyingPartyName else { return }
                            guard (1...100).contains(name.count), DisplayName.isOneLine(name) else {
                                throw .invalidField("rp_name", "must be one line of 1 to 100 characters")
                            }
                        }.stored(as: "relyingPartyName"),
                    .lines(
                        "allowed_origins", \.allowedOrigins, "Origins",
                        rule:
                            "at most 50 different origins such as https://app.example.com, in lower case and without a "
                            + "slash at the end, or Android key hashes such as android:apk-key-hash:…; http for loopback only",
                        hint:
                            "Origins of the pages that use passkeys, one per line. https:// and the RP ID is always one."
                    ) { origins, _ in
                        origins.count <= 50 && Set(origins).count == origins.count
                            && origins.allSatisfy { BrowserOrigin.isAllowed($0) || isKeyHash($0) }
                    },
                    .lines(
                        "ios_app_ids", \.iosAppIDs, "Apps of Apple",
                        rule: "at most 20 different app ids such as A1B2C3D4E5.com.example.app",
                        hint: "Team ID, a dot, and the bundle id. One per line."
                    ) { ids, _ in ids.count <= 20 && Set(ids).count == ids.count && ids.allSatisfy(isAppID) }
                    .stored(as: "iosAppIDs"),
                    .lines(
                        "android_apps", \.androidApps, "Apps of Android",
                        rule:
                            "at most 20 different lines of a package, a space, and the SHA-256 of its certificate as 32 "
                            + "hexadecimal bytes with colons",
                        hint: "Such as com.example.app 14:6D:E9:… One per line."
                    ) { apps, _ in
                        apps.count <= 20 && Set(apps).count == apps.count
                            && apps.allSatisfy { AndroidApp($0) != nil }
                    },
                ]),
            .init(
                "Sign-in",
                [
                    .flag(
                        "login_enabled", \.loginEnabled, "Users sign in with passkeys",
                        hint: "Otherwise a passkey only completes steps of step-ups."),
                    .flag(
                        "codes_with_passkey", \.codesWithPasskey, "Users with a passkey also get codes",
                        hint: "Otherwise a thief of the phone number or mailbox cannot sign in."
                    ).checked(isRelative: true) { config, stored throws(Refusal) in
                        guard config.codesWithPasskey || config.loginEnabled else {
                            throw .invalidField("codes_with_passkey", "must be true while login_enabled is false")
                        }
                        guard
                            config.codesWithPasskey
                                || ["", config.relyingPartyID, nil].contains(stored?.relyingPartyID)
                        else {
                            throw .invalidField(
                                "codes_with_passkey",
                                "must be true when rp_id changes, because the passkeys of the old one sign nobody in")
                        }
                    },
                    .lines(
                        "granted_scopes", \.grantedScopes, "Granted scopes",
                        rule: "at most 20 scopes of letters, digits and . - _ :",
                        hint: "One per line. Each must be registered in the app."
                    ) { scopes, _ in scopes.count <= 20 && scopes.allSatisfy(Scope.isWellFormed) },
                ]),
            .init(
                "Authenticators",
                [
                    .choice(
                        "user_verification", \.userVerification, "User verification",
                        [.required: "Required", .preferred: "Preferred", .discouraged: "Discouraged"],
                        hint: "The authenticator asks for a PIN or a biometric."),
                    .choice(
                        "attestation_preference", \.attestationPreference, "Attestation",
                        [
                            .none: "None", .indirect: "Indirect", .direct: "Direct, required",
                            .enterprise: "Enterprise, required",
                        ], hint: "Synchronized passkeys have none, so they cannot be registered if it is required."),
                    .lines(
                        "attestation_roots", \.attestationRoots, "Roots of attestations",
                        rule: "at most 20 certificates in DER, in base64, of at most 4096 characters",
                        hint: "An attestation must lead to one of these, if there are any. One per line."
                    ) { roots, _ in
                        roots.count <= 20 && roots.allSatisfy { $0.utf8.count <= 4096 } && anchors(roots) != nil
                    },
                    .lines(
                        "aaguid_allowlist", \.allowedAAGUIDs, "Allowed models",
                        rule: "at most 200 AAGUIDs such as fbfc3007-154e-4ecc-8c0b-6e020557d7bd, in lower case",
                        hint: "AAGUIDs, one per line. Empty: all models. Only an attestation proves the model."
                    ) { ids, _ in
                        ids.count <= 200 && ids.allSatisfy { UUID(uuidString: $0)?.uuidString.lowercased() == $0 }
                    }.stored(as: "allowedAAGUIDs"),
                    .flag(
                        "refuse_lower_counter", \.refusesLowerCounter, "A counter that goes back is refused",
                        hint: "A security key may have been copied then. In any case an event reports it."),
                ]),
        ])

    /// Rejects settings that do not fit the app.
    ///
    /// - Throws: `Refusal.invalidField` for a scope that is not registered, which tokens would lack without an error.
    package func check(in app: App) throws(Refusal) {
        if let scope = grantedScopes.first(where: { !app.scopes.contains($0) }) {
            throw .invalidField(
                "granted_scopes", "contains \(scope), which is not registered; add it to config/scopes first")
        }
    }

    private static func isRelyingPartyID(_ text: String) -> Bool { text == "localhost" || HostName.isValid(text) }

    private static func isKeyHash(_ text: String) -> Bool {
        let prefix = AndroidApp.originPrefix
        return text.hasPrefix(prefix) && Base64URL.decode(String(text.dropFirst(prefix.count)))?.count == 32
    }

    private static func isAppID(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 2 && text.utf8.count <= 200 && parts[0].count == 10
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0.isLetterOrDigit }
            }
    }

    private static func anchors(_ roots: [String]) -> TrustAnchors? {
        let certificates = roots.compactMap { Data(base64Encoded: $0).map(Array.init) }
        return certificates.count == roots.count ? try? TrustAnchors(certificates: certificates) : nil
    }
}

extension PasskeyConfig {
    /// The trust anchors of attestations.
    var trustAnchors: TrustAnchors { Self.anchors(attestationRoots) ?? TrustAnchors() }

    /// The web origins whose pages use the passkeys of the RP id (§5.11).
    package var webOrigins: [String] {
        let own = "https://" + relyingPartyID
        return (relyingPartyID == "localhost" || allowedOrigins.contains(own) ? [] : [own])
            + allowedOrigins.filter { !$0.hasPrefix(AndroidApp.originPrefix) }
    }

    /// Whether a registration without certificates is refused.
    package var requiresAttestation: Bool {
        attestationPreference == .direct || attestationPreference == .enterprise || !attestationRoots.isEmpty
    }

    /// Whether a passkey is of today's RP id. Those of an earlier one are void.
    package func accepts(_ passkey: Passkey) -> Bool { passkey.relyingPartyID == relyingPartyID }

    /// All origins that responses may have, those of Android apps included.
    var origins: [String] {
        webOrigins + allowedOrigins.filter { $0.hasPrefix(AndroidApp.originPrefix) }
            + androidApps.compactMap(AndroidApp.init).map(\.origin)
    }

    var relyingParty: RelyingParty { RelyingParty(ids: [relyingPartyID], origins: origins) }
}

/// An app of Android that uses the passkeys of an RP id.
package struct AndroidApp: Sendable, Equatable {
    static let originPrefix = "android:apk-key-hash:"

    package let package: String
    /// The SHA-256 of the certificate that signs the app, as 32 bytes in upper case with colons.
    package let fingerprint: String
    private let hash: Data

    package init?(_ line: String) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, line.utf8.count <= 300 else { return nil }
        let labels = words[0].split(separator: ".", omittingEmptySubsequences: false)
        let bytes = words[1].split(separator: ":", omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy(Self.isLabel), bytes.count == 32 else { return nil }
        let hash = bytes.compactMap { $0.utf8.count == 2 && $0.first != "+" ? UInt8($0, radix: 16) : nil }
        guard hash.count == 32 else { return nil }
        package = String(words[0])
        fingerprint = words[1].uppercased()
        self.hash = Data(hash)
    }

    /// How the app names itself in client data.
    var origin: String { Self.originPrefix + Base64URL.encode(hash) }

    private static func isLabel(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 == UInt8(ascii: "_") || $0.isLetterOrDigit }
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

extension App {
    /// The settings of passkeys, and the defaults while the app has none.
    fileprivate var passkeySettings: PasskeyConfig {
        get { passkeys ?? .defaults }
        set { passkeys = newValue }
    }

    /// Whether users with a passkey sign in with codes, too.
    var codesWithPasskey: Bool { passkeys?.codesWithPasskey ?? true }

    /// - Throws: `Refusal.passkeyNotConfigured`.
    func requirePasskeys() throws(Refusal) -> PasskeyConfig {
        guard let passkeys else { throw .passkeyNotConfigured }
        return passkeys
    }
}
