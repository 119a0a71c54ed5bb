import Foundation
import Testing

@testable import SessionDomain
@testable import SessionWebAuthn

@Suite("The use of a passkey")
struct PasskeyUseTests {
    private static func passkey(counter: Int64, key: String = "key") throws -> Passkey {
        Passkey(
            id: "id", appID: try #require(AppID("abcdefg")), userID: "usr_1", userHandle: Data([1]),
            publicKey: Data(key.utf8), counter: counter, aaguid: Data(count: 16), relyingPartyID: "example.com",
            transports: [], isBackupEligible: true, isBackedUp: false, nickname: "Phone",
            createdAt: Timestamp(seconds: 1))
    }

    /// The stored counter, the new one, and whether it went back.
    private static let counters: [(Int64, Int64, Bool)] = [
        (0, 0, false), (0, 1, false), (1, 2, false), (1, 1, true), (2, 1, true), (1, 0, true),
        (4_294_967_295, 4_294_967_295, true), (4_294_967_294, 4_294_967_295, false),
    ]

    // Proves: W7
    @Test("A counter that does not grow went back, except for passkeys that do not count", arguments: counters)
    func counter(stored: Int64, new: Int64, wentBack: Bool) throws {
        let use = PasskeyUse(of: try Self.passkey(counter: 0), counter: new, isBackedUp: true)
        let found = try #require(use.found(in: [try Self.passkey(counter: stored)], now: Timestamp(seconds: 9)))
        #expect(found.wentBack == wentBack && found.used.counter == max(stored, new))
        #expect(found.used.isBackedUp && found.used.lastUsedAt == Timestamp(seconds: 9))
        #expect(found.used.nickname == "Phone" && found.current.lastUsedAt == nil)
    }

    // Proves: W4
    @Test("A passkey that is gone, or has another key, is not found")
    func other() throws {
        let use = PasskeyUse(of: try Self.passkey(counter: 0), counter: 1, isBackedUp: false)
        #expect(use.found(in: [], now: Timestamp(seconds: 9)) == nil)
        #expect(use.found(in: [try Self.passkey(counter: 0, key: "other")], now: Timestamp(seconds: 9)) == nil)
    }
}

@Suite("Settings of passkeys")
struct PasskeyConfigTests {
    // Proves: W1
    @Test("The origins are those of the settings, of the RP ID, and of the apps")
    func origins() {
        var config = PasskeyConfig()
        config.relyingPartyID = "example.com"
        config.allowedOrigins = ["https://app.example.com", "android:apk-key-hash:AAAA"]
        config.androidApps = ["com.example.app " + Array(repeating: "00", count: 32).joined(separator: ":")]
        #expect(config.webOrigins == ["https://example.com", "https://app.example.com"])
        #expect(
            config.origins == [
                "https://example.com", "https://app.example.com", "android:apk-key-hash:AAAA",
                "android:apk-key-hash:" + String(repeating: "A", count: 43),
            ])
        config.relyingPartyID = "localhost"
        config.allowedOrigins = ["http://localhost:8080"]
        #expect(config.webOrigins == ["http://localhost:8080"])
    }

    private static let bytes = Array(repeating: "ab", count: 32).joined(separator: ":")

    private static let wrongApps = [
        "", "com.example.app", "com.example.app  00", "app " + bytes, "com..app " + bytes,
        "com.example.app " + bytes + ":00", "com.example.app " + bytes.dropLast(1) + "g",
        "com.example.app +0" + bytes.dropFirst(2), "com.exam-ple.app " + bytes,
    ]

    @Test("The line of an app of Android has a package and 32 bytes", arguments: wrongApps)
    func androidApp(_ line: String) {
        #expect(AndroidApp(line) == nil)
    }

    @Test("A package and its fingerprint are read, in any case")
    func readApp() throws {
        let app = try #require(AndroidApp("com.example.my_app " + Self.bytes))
        #expect(app.package == "com.example.my_app" && app.fingerprint == Self.bytes.uppercased())
    }

    /// Whether a user has an identifier with a login, a password for it, and whether another way than a passkey is left.
    private static let ways: [(codes: Bool, hasPassword: Bool, passwords: Bool, isPossible: Bool)] = [
        (false, false, false, false), (true, false, false, true), (false, true, false, false),
        (false, false, true, false), (false, true, true, true),
    ]

    // Proves: W9
    @Test("A code or a password is another way to sign in, if the app accepts it", arguments: ways)
    func otherWay(codes: Bool, hasPassword: Bool, passwords: Bool, isPossible: Bool) throws {
        var app = App(id: try #require(AppID("abcdefg")), name: "test", createdAt: Timestamp(seconds: 1))
        app.otpLogins = codes ? [OTPLoginConfig(id: "1", channel: .email, isDefault: true, at: app.createdAt)] : []
        app.passwordLogin = passwords ? PasswordLoginConfig(at: app.createdAt) : nil
        let user = User(
            id: "usr_1", appID: app.id,
            identifiers: [try CanonicalIdentifier(type: "email_address", value: "ada@example.com")],
            hasPassword: hasPassword, createdAt: app.createdAt)
        #expect(user.canSignInWithoutPasskey(to: app) == isPossible)
    }

    // Proves: W9
    @Test("A phone in a country without codes is no way to sign in")
    func closedCountry() throws {
        var app = App(id: try #require(AppID("abcdefg")), name: "test", createdAt: Timestamp(seconds: 1))
        app.otpLogins = [OTPLoginConfig(id: "1", channel: .sms, isDefault: true, at: app.createdAt)]
        let phone = try CanonicalIdentifier(type: "phone_number", value: "+14155550100")
        let user = User(id: "usr_1", appID: app.id, identifiers: [phone], createdAt: app.createdAt)
        for (prefixes, isPossible) in [([], true), (["+1"], true), (["+49"], false)] {
            app.otpLimits.allowedPrefixes = prefixes
            #expect(user.canSignInWithoutPasskey(to: app) == isPossible)
        }
    }

    // Proves: W12
    @Test(
        "A code is not sent again to a user who has a passkey meanwhile, if the app says so", arguments: [true, false])
    func resend(codesWithPasskey: Bool) throws {
        let intent = ResendCode(
            appID: try appID(), tokenHash: "token", limits: LimitSettings(), newCode: TestApp.code("new"),
            draft: TestApp.draft, codesWithPasskey: codesWithPasskey, now: now)
        let running = try TestApp.verification(sent: 30)
        let user = User(
            id: "usr_1", appID: try appID(), identifiers: [running.identifier], hasPasskey: true, createdAt: now)
        let decision = intent.decide(
            FoundRows {
                $0.verification = running
                $0.user = user
            })
        let withheld = decision.changes.compactMap { change -> LoginFailure?? in
            if case .insertMessage(let message) = change { message.content.withheld } else { nil }
        }
        #expect(withheld == [codesWithPasskey ? nil : .passkeyRequired])
    }

    /// An attestation, and why it is refused.
    private static let attestations: [(Attestation, @Sendable (inout PasskeyConfig) -> Void, Refusal?)] = [
        (Attestation(format: "none", kind: .none), { _ in }, nil),
        (Attestation(format: "fido-u2f", kind: .basic, certificates: [[1]]), { _ in }, .passkeyAuthenticatorBlocked),
        (
            Attestation(format: "fido-u2f", kind: .basic, certificates: [[1]]), { $0.userVerification = .preferred },
            nil
        ),
        (
            Attestation(format: "fido-u2f", kind: .basic, certificates: [[1]]),
            {
                $0.userVerification = .preferred
                $0.allowedAAGUIDs = ["00000000-0000-0000-0000-000000000000"]
            }, .passkeyAuthenticatorBlocked
        ),
        (
            Attestation(format: "packed", kind: .selfAttestation), { $0.attestationPreference = .enterprise },
            .passkeyRegistrationFailed("an attestation with certificates is required")
        ),
        (
            Attestation(format: "packed", kind: .basic, certificates: [[1]]), { $0.attestationRoots = ["AAAA"] },
            .passkeyRegistrationFailed("the attestation leads to no certificate that the app trusts")
        ),
        (
            Attestation(format: "packed", kind: .basic, certificates: [[1]], isTrusted: true),
            { $0.attestationRoots = ["AAAA"] }, nil
        ),
    ]

    // Proves: W6
    @Test("An authenticator that the settings do not allow is refused", arguments: attestations.indices)
    func attestation(_ index: Int) {
        let (attestation, change, refusal) = Self.attestations[index]
        var config = PasskeyConfig()
        change(&config)
        func check() throws(Refusal) {
            try PasskeyRegistration.check(attestation, aaguid: Array(repeating: 0, count: 16), config)
        }
        if let refusal {
            #expect(throws: refusal) { try check() }
        } else {
            #expect(throws: Never.self) { try check() }
        }
    }
}
