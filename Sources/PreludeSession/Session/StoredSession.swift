internal import Foundation
internal import SessionTokens

/// A session as it is stored. The version is read first: a record of tomorrow is left alone, never taken for none.
struct StoredSession: Codable, Equatable, Sendable {
    static let currentVersion = 1

    var version = StoredSession.currentVersion
    var refreshToken: String
    var refreshTokenExpiresAt: Date?
    var accessToken: String
    var accessTokenExpiresAt: Date

    static func decode(_ data: Data) throws -> StoredSession {
        struct Versioned: Decodable { let version: Int }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        guard let version = try? decoder.decode(Versioned.self, from: data).version else {
            throw PreludeSessionError.storageUnavailable("the session's record cannot be understood")
        }
        guard version == currentVersion else {
            throw PreludeSessionError.storageUnavailable("the session's record is of a newer version of the SDK")
        }
        guard let session = try? decoder.decode(StoredSession.self, from: data) else {
            throw PreludeSessionError.storageUnavailable("the session's record cannot be understood")
        }
        return session
    }

    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        return try encoder.encode(self)
    }
}

extension StoredSession {
    private struct AccessClaims: Decodable {
        var iat: Double?
        var scope: String?
    }

    private var accessClaims: AccessClaims? { try? JWT.unverifiedClaims(of: accessToken, as: AccessClaims.self) }

    /// The scopes that the access token says it carries.
    var scopes: Set<Substring> { Set(accessClaims?.scope?.split(separator: " ") ?? []) }

    /// The margin for an early refresh: never more than a third of the token's life, so that a token that lives short is
    /// not spent at once, and a scope that the next refresh drops can be used at all.
    func refreshMargin(atMost margin: TimeInterval) -> TimeInterval {
        guard let issuedAt = accessClaims?.iat else { return margin }
        let lifetime = accessTokenExpiresAt.timeIntervalSince1970 - issuedAt
        return lifetime > 0 ? min(margin, lifetime / 3) : margin
    }
}
