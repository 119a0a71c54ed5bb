import Foundation
import SessionConformance
import SessionTokens

@testable import SessionDomain

/// One opened app with fixed signing keys.
enum TestApp {
    static let keys = KeyRing(current: MasterKey(secret: Data(repeating: 7, count: 32)))

    /// Keys sign without any waiting time.
    static let keyRotation = KeyRotationPolicy(publishAhead: 0)

    static let signingKeys = Result {
        try [StoredSigningKey.Purpose.access, .challenge].map {
            try keys.makeSigningKey(app: try appID(), purpose: $0, algorithm: .edDSA, at: now)
        }
    }

    static let hookKey = Result {
        try keys.makeSigningKey(app: try appID(), purpose: .hook, algorithm: .ps256, at: now) {
            try FixedRSAKeys.key(2)
        }
    }

    static func open(
        hasHookKey: Bool = true, _ change: (inout App) -> Void = { _ in }
    ) throws -> AppRuntime {
        var app = App(id: try appID(), name: "test", createdAt: now)
        change(&app)
        return try AppRuntime(
            app: app, stored: try signingKeys.get() + (hasHookKey ? [try hookKey.get()] : []), keys: keys,
            origins: try PublicOrigins(publicURL: "https://session.example.com"), policy: keyRotation, at: now,
            uptime: 0)
    }

    static func user(_ identifiers: [CanonicalIdentifier] = [], status: User.Status = .active) throws -> User {
        User(id: "usr_1", appID: try appID(), status: status, identifiers: identifiers, createdAt: now - 1000)
    }

    static func session(
        id: String = "ses_1", user: String = "usr_1", app: String = "domain1", generation: Int64 = 5,
        key: String? = "key", scopes: [String] = [], revokedAt: Timestamp? = nil
    ) throws -> Session {
        Session(
            id: id, appID: try appID(app), userID: user, generation: generation, keyThumbprint: key, scopes: scopes,
            device: Device(), createdAt: now - 1000, idleExpiresAt: now + 10_000, absoluteExpiresAt: now + 10_000,
            revokedAt: revokedAt)
    }

    static func caller(_ identifiers: [CanonicalIdentifier] = []) throws -> SignedIn {
        try caller(try user(identifiers), session: try session())
    }

    static func caller(_ user: User, session: Session) throws -> SignedIn {
        let claims = AccessTokenClaims(
            iss: "session.example.com", aud: "domain1", sub: "usr_1", sid: "ses_1", clientID: "domain1", jti: "jti",
            iat: now.seconds, nbf: now.seconds, exp: now.seconds + 300)
        return SignedIn(session: session, user: user, claims: claims)
    }

    static func mail(_ address: String = "ada@example.com") throws -> CanonicalIdentifier {
        try CanonicalIdentifier(type: "email_address", value: address)
    }

    static func phone(_ number: String = "+14155550100") throws -> CanonicalIdentifier {
        try CanonicalIdentifier(type: "phone_number", value: number)
    }
}
