internal import Foundation
internal import SessionTokens

/// The signed-in user, as described by the access token.
public struct PreludeUser: Sendable, Hashable {
    /// A JWT for the app's backend (RFC 9068), which must verify it. It is valid for minutes: requests
    /// take one from `PreludeSessionClient.data(for:)` or `authorize(_:)`.
    public var accessToken: String
    /// The claims of the access token.
    public var profile: PreludeProfile
    /// Whether the login that returned this value created the user. Always `false` after a refresh, after a migration, and
    /// with a service that does not say it.
    ///
    /// Use it to show an introduction once. It is a fact about the login, so the session does not keep it.
    public var isNewUser = false

    /// The user's id, `usr_…` (`sub`, RFC 7519 §4.1.2).
    public var userID: String { profile.subject }

    /// Creates a user, for previews and tests. The SDK returns users that it has read from an access token.
    ///
    /// - Parameters:
    ///   - accessToken: The access token. It is not read.
    ///   - profile: The claims.
    ///   - isNewUser: Whether the login created the user.
    public init(accessToken: String = "", profile: PreludeProfile, isNewUser: Bool = false) {
        self.accessToken = accessToken
        self.profile = profile
        self.isNewUser = isNewUser
    }
}

/// The claims of an access token. They are not verified on the device: use them for display only.
public struct PreludeProfile: Sendable, Hashable, Codable {
    /// The user's id, `usr_…` (`sub`, RFC 7519 §4.1.2). Never `nil`: it is optional as in the hosted product's SDK.
    public var userID: String? { subject }
    /// The session's id, `ses_…` (`sid`).
    public var sessionID: String?
    /// All other claims that are not registered (RFC 7519 §4.1, RFC 9068 §2.2).
    public var extras: [String: PreludeJSONValue]

    let subject: String

    private enum CodingKeys: String, CodingKey {
        case subject = "userID"
        case sessionID, extras
    }

    /// Creates a profile, for previews and tests. The SDK reads profiles from access tokens.
    ///
    /// - Parameters:
    ///   - userID: The user's id, `usr_…`.
    ///   - sessionID: The session's id, `ses_…`.
    ///   - extras: All other claims.
    public init(userID: String, sessionID: String? = nil, extras: [String: PreludeJSONValue] = [:]) {
        subject = userID
        self.sessionID = sessionID
        self.extras = extras
    }

    /// A claim of the app's own mapping, by type: `profile["plan", as: String.self]`.
    ///
    /// - Parameters:
    ///   - claim: The name of the claim.
    ///   - type: The type of its value.
    /// - Returns: `nil` if the token has no such claim, or one of another type.
    public subscript<Value: Decodable>(claim: String, as type: Value.Type) -> Value? {
        guard let value = extras[claim], let data = try? JSONEncoder().encode([value]) else { return nil }
        return try? JSONDecoder().decode([Value].self, from: data).first
    }

    private static let known: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "sid", "client_id", "cnf",
    ]

    /// Reads the claims of an access token.
    ///
    /// - Throws: `.refreshFailed` when it is not a JWT of a user.
    init(accessToken: String) throws {
        guard let claims = try? JWT.unverifiedClaims(of: accessToken) else {
            throw PreludeSessionError.refreshFailed("the access token is not a JWT")
        }
        guard let subject = claims["sub"]?.stringValue, !subject.isEmpty else {
            throw PreludeSessionError.refreshFailed("the access token names no user")
        }
        self.subject = subject
        sessionID = claims["sid"]?.stringValue
        extras = claims.filter { !Self.known.contains($0.key) }.mapValues(PreludeJSONValue.init)
    }
}

extension PreludeUser {
    /// Reads the user from an access token.
    ///
    /// - Throws: `.refreshFailed` when it is not a JWT of a user.
    init(accessToken: String) throws {
        self.init(accessToken: accessToken, profile: try PreludeProfile(accessToken: accessToken))
    }
}

extension PreludeUser: CustomStringConvertible, CustomReflectable {
    /// Does not contain the token.
    public var description: String { "PreludeUser(\(userID))" }
    public var customMirror: Mirror { Mirror(self, children: ["profile": profile]) }
}

/// Any JSON value (RFC 8259 §3), such as a claim of an access token.
public enum PreludeJSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// An integer that fits into 64 bits.
    case int(Int64)
    /// Any other number.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([PreludeJSONValue])
    /// An object. Its members have no order.
    case object([String: PreludeJSONValue])

    /// The value of a string; `nil` for any other value.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }
}

extension PreludeJSONValue: Codable {
    public init(from decoder: any Decoder) throws { self.init(try JSONValue(from: decoder)) }

    public func encode(to encoder: any Encoder) throws { try JSONValue(self).encode(to: encoder) }

    init(_ value: JSONValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let value): .bool(value)
            case .int(let value): .int(value)
            case .double(let value): .double(value)
            case .string(let value): .string(value)
            case .array(let values): .array(values.map(PreludeJSONValue.init))
            case .object(let members): .object(members.mapValues(PreludeJSONValue.init))
            }
    }
}

extension JSONValue {
    fileprivate init(_ value: PreludeJSONValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let value): .bool(value)
            case .int(let value): .int(value)
            case .double(let value): .double(value)
            case .string(let value): .string(value)
            case .array(let values): .array(values.map(JSONValue.init))
            case .object(let members): .object(members.mapValues(JSONValue.init))
            }
    }
}
