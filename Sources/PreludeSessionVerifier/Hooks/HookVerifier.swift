public import Foundation
public import HTTPTypes
internal import SessionRSA
internal import SessionTokens

/// Verifies that a call of a hook or a webhook is from the session service, recent, and not a copy of an earlier one.
///
/// Keep one for each process: it remembers the calls of the last minutes, and the service's keys. With more than one process
/// a copy can reach each of them once, so also insert the id that ``verify(_:headerFields:)`` returns under a unique constraint.
public actor HookVerifier {
    private let source: any KeySetSource
    private let maximumAge: TimeInterval
    private let environment: VerifierEnvironment
    private var keys: [String: RSAPublicKey] = [:]
    private var fetchedAt = -TimeInterval.infinity
    private var attemptedAt = -TimeInterval.infinity
    private var runningFetch: Task<Void, Never>?
    /// The ids of accepted calls, with the times at which they were sent.
    private var accepted: [String: TimeInterval] = [:]

    /// Seconds for which a key set is used.
    private static let keyLifetime = 300.0

    /// Creates a verifier. It fetches the keys with the first call.
    ///
    /// - Parameters:
    ///   - service: The origin of the app's session service, such as `https://app1234.session.example.com`.
    ///   - maximumAge: Seconds by which the time of a call may differ from the clock.
    ///   - environment: The clock.
    ///   - keySource: Another source of the keys; `nil` fetches `/.well-known/jwks.json` of `service`.
    /// - Throws: ``VerifierConfigurationError``, which names the parameter.
    public init(
        service: String, maximumAge: TimeInterval = 300, environment: VerifierEnvironment = .live,
        keySource: (any KeySetSource)? = nil
    ) throws(VerifierConfigurationError) {
        let origin = try ServiceOrigin(service)
        guard (1...3600).contains(maximumAge) else {
            throw VerifierConfigurationError("maximumAge", "must be 1 to 3600 seconds")
        }
        self.maximumAge = maximumAge
        self.environment = environment
        source = keySource ?? URLSessionKeySetSource(url: origin.keySet)
    }

    /// Verifies `X-Webhook-Signature-V2` over id, time and body: RSASSA-PSS with SHA-256 (RFC 8017 §8.1).
    ///
    /// - Parameters:
    ///   - body: The body as it was received, before it is read.
    ///   - headerFields: The header fields of the call.
    /// - Returns: The id of the call, `X-Webhook-Id`.
    /// - Throws: ``HookVerificationError``. Respond with 401, or with 503 for `keysUnavailable`.
    @discardableResult
    public func verify(_ body: Data, headerFields: HTTPFields) async throws(HookVerificationError) -> String {
        let field = { (name: String) in HTTPField.Name(name).flatMap { headerFields[$0] } }
        guard let id = field("X-Webhook-Id"), let time = field("X-Webhook-Timestamp"),
            let sentAt = UInt32(time).map(TimeInterval.init), let keyID = field("X-Webhook-Signature-Key-Id"),
            let signature = field("X-Webhook-Signature-V2").flatMap({ Base64URL.decode($0) })
        else { throw .missingHeaderFields }
        guard abs(environment.seconds - sentAt) <= maximumAge else { throw .tooOld }
        guard try await key(keyID).isValidPSS(signature, for: Data("\(id).\(time).".utf8) + body) else {
            throw .invalidSignature
        }
        // Again: the keys may have come after the end of the window, when the id was forgotten.
        let now = environment.seconds
        guard abs(now - sentAt) <= maximumAge else { throw .tooOld }
        accepted = accepted.filter { abs(now - $0.value) <= maximumAge }
        guard accepted.updateValue(sentAt, forKey: id) == nil else { throw .repeated }
        return id
    }

    private func key(_ id: String) async throws(HookVerificationError) -> RSAPublicKey {
        let now = environment.seconds
        if let key = keys[id], isFresh(at: now) { return key }
        // All waiting calls share one fetch, and calls with unknown keys cause one in 30 seconds.
        if runningFetch == nil, abs(now - attemptedAt) >= (isFresh(at: now) ? 30 : 1) {
            attemptedAt = now
            runningFetch = Task { await self.fetch(at: now) }
        }
        await runningFetch?.value
        guard isFresh(at: environment.seconds) else { throw .keysUnavailable }
        guard let key = keys[id] else { throw .unknownKey }
        return key
    }

    private func fetch(at now: TimeInterval) async {
        defer { runningFetch = nil }
        guard let json = try? await source.fetch().json, let set = try? TokenJSON.decode(HookKeySet.self, from: json)
        else { return }
        (keys, fetchedAt) = (set.keys, now)
    }

    private func isFresh(at now: TimeInterval) -> Bool { abs(now - fetchedAt) <= Self.keyLifetime }
}

/// The keys of a JWK Set that sign hooks: RSA with PS256 (RFC 7518 §3.5). All others are skipped.
private struct HookKeySet: Decodable {
    private struct Entry: Decodable {
        private enum CodingKeys: CodingKey { case kid, kty, alg, n, e }

        let kid, kty, alg, n, e: String?

        /// A member of another type counts as missing, so that one strange key does not hide the others.
        init(from decoder: any Decoder) throws {
            let members = try? decoder.container(keyedBy: CodingKeys.self)
            func text(_ key: CodingKeys) -> String? { try? members?.decode(String.self, forKey: key) }
            (kid, kty, alg, n, e) = (text(.kid), text(.kty), text(.alg), text(.n), text(.e))
        }
    }

    private enum Member: String, CodingKey { case keys }

    let keys: [String: RSAPublicKey]

    init(from decoder: any Decoder) throws {
        let entries = try decoder.container(keyedBy: Member.self).decode([Entry?].self, forKey: .keys)
        let usable = entries.compactMap(\.self).compactMap { entry -> (String, RSAPublicKey)? in
            guard entry.kty == "RSA", entry.alg == "PS256", let id = entry.kid,
                let modulus = entry.n.flatMap({ Base64URL.decode($0) }),
                let exponent = entry.e.flatMap({ Base64URL.decode($0) }),
                let key = try? RSAPublicKey(modulus: modulus, exponent: exponent)
            else { return nil }
            return (id, key)
        }
        keys = Dictionary(usable) { first, _ in first }
    }
}

/// Why a call of a hook or a webhook is rejected. New versions may add reasons.
public struct HookVerificationError: RawRepresentable, Error, Hashable, Sendable {
    /// The reason as one word in snake case.
    public let rawValue: String
    /// Creates an error from its reason.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A header field is missing, or not in its form.
    public static let missingHeaderFields = Self(rawValue: "missing_header_fields")
    /// The time of the call differs too much from the clock.
    public static let tooOld = Self(rawValue: "too_old")
    /// The service has no such key.
    public static let unknownKey = Self(rawValue: "unknown_key")
    /// The service did not sign this id, time and body.
    public static let invalidSignature = Self(rawValue: "invalid_signature")
    /// The call was accepted before.
    public static let repeated = Self(rawValue: "repeated")
    /// The service's keys cannot be fetched. The call may be right.
    public static let keysUnavailable = Self(rawValue: "keys_unavailable")
}
