internal import Foundation
public import HTTPTypes
internal import SessionRSA
internal import SessionTokens

/// Verifies the access tokens of a session service in a backend.
///
/// Create one verifier and keep it: it fetches and caches the service's keys. It is safe to use from any task.
///
/// ```swift
/// let verifier = try SessionVerifier(service: "https://app1234.session.example.com", audience: "app1234")
/// let user = try await verifier.verify(token)
/// ```
public struct SessionVerifier: Sendable {
    private let claims: ClaimsPolicy
    private let proofs: ProofPolicy
    private let algorithms: Set<SignatureAlgorithm>
    private let keys: KeySetCache
    private let replayGuard: any ReplayGuard
    private let resources: ProtectedResources
    private let proofHeaders = ProofHeaderCache()
    private let environment: VerifierEnvironment

    /// Creates a verifier for the tokens of one app. It fetches the keys with the first token, not before.
    ///
    /// - Parameters:
    ///   - service: The origin of the app's session service, such as `https://app1234.session.example.com`. Plain http is
    ///     allowed on the loopback interface only. The verifier fetches the keys from its `/.well-known/jwks.json` and
    ///     expects its host as issuer (`iss`), unless ``VerifierOptions/issuers`` is set. If the app has custom domains, use
    ///     the first one.
    ///   - audience: The required audience of tokens (`aud`): the app's id.
    ///   - resources: The URLs that apps use for this backend, such as `https://api.example.com`. DPoP proofs must name one
    ///     of them (`htu`); the `Host` header is ignored. If empty, tokens that are bound to a key are rejected. Plain http
    ///     is allowed on the loopback interface only.
    ///   - options: Options that differ from the defaults.
    ///   - keySource: Another source of the keys; `nil` fetches them from `service`.
    /// - Throws: ``VerifierConfigurationError``, which names the parameter or option.
    public init(
        service: String, audience: String, resources: [String] = [], options: VerifierOptions = VerifierOptions(),
        keySource: (any KeySetSource)? = nil
    ) throws(VerifierConfigurationError) {
        let origin = try ServiceOrigin(service)
        guard !audience.isEmpty else { throw VerifierConfigurationError("audience", "must be the app's id") }
        self.resources = try ProtectedResources(resources)
        try options.validate()
        algorithms = Set(
            options.algorithms.compactMap { SignatureAlgorithm(rawValue: $0.rawValue)?.spelledClassically })
        environment = options.environment
        claims = ClaimsPolicy(
            issuers: options.issuers ?? [origin.issuer], audience: audience, leeway: options.leeway,
            profile: options.profile)
        proofs = ProofPolicy(
            window: options.proofWindow, nonces: options.nonces.resolved(audience: self.resources.first ?? audience))
        replayGuard = options.replayGuard
        keys = KeySetCache(
            source: keySource ?? URLSessionKeySetSource(url: origin.keySet), algorithms: algorithms,
            policy: options.keys, environment: options.environment)
    }

    /// Fetches the service's keys now, so that the first token does not wait for them.
    ///
    /// - Throws: ``VerificationError`` with ``VerificationError/Reason/keysUnavailable`` if the fetch fails.
    public func loadKeys() async throws(VerificationError) {
        try await keys.load()
    }

    /// Verifies a bearer token (RFC 6750): signature, type, issuer, audience and times.
    ///
    /// - Parameter bearer: The token, or the complete value of the `Authorization` header.
    /// - Throws: ``VerificationError``. Tokens that are bound to a key are rejected (RFC 9449 §7.2): use
    ///   ``verify(_:)-(HTTPRequest)`` for them.
    public func verify(_ bearer: String) async throws(VerificationError) -> VerifiedUser {
        var schemes = AuthenticationSchemes(used: .bearer, offersDPoP: !resources.isEmpty)
        do throws(VerificationError) {
            var token = bearer
            if bearer.utf8.contains(UInt8(ascii: " ")) {
                let header = try AuthorizationHeader(authorization: bearer)
                schemes.used = header.scheme
                token = header.token
            }
            guard schemes.used == .bearer else {
                throw VerificationError(resources.isEmpty ? .dpopNotOffered : .missingProof)
            }
            return try await verifyBearer(token, schemes: schemes)
        } catch {
            throw error.with(schemes: schemes)
        }
    }

    /// Verifies a request with the scheme `Bearer` (RFC 6750) or `DPoP` with a proof (RFC 9449 §7.1).
    ///
    /// - Throws: ``VerificationError``, which has the status and the header fields of the response.
    public func verify(_ request: HTTPRequest) async throws(VerificationError) -> VerifiedUser {
        var schemes = AuthenticationSchemes(used: nil, offersDPoP: !resources.isEmpty)
        do {
            let header = try AuthorizationHeader(request)
            schemes.used = header.scheme
            switch header.scheme {
            case .bearer: return try await verifyBearer(header.token, schemes: schemes)
            case .dpop: return try await verifyBound(header.token, request: request, schemes: schemes)
            }
        } catch {
            throw error.with(schemes: schemes)
        }
    }

    /// Header fields to add to successful responses: the nonce for the next proof (RFC 9449 §8.2).
    ///
    /// Empty unless the policy is ``NoncePolicy/always(secret:older:)``. Without these fields, the app gets the next nonce
    /// from a rejected request and must send that request twice.
    public var nextHeaderFields: HTTPFields {
        guard let nonce = proofs.next(now: environment.seconds) else { return [:] }
        return VerificationError(.nonceRequired, nonce: nonce).nonceFields
    }

    private func verifyBearer(
        _ token: String, schemes: AuthenticationSchemes
    ) async throws(VerificationError) -> VerifiedUser {
        let (claims, payload) = try await verifyToken(token)
        guard claims.cnf == nil else { throw VerificationError(.boundToken) }
        return VerifiedUser(claims, payload: payload, schemes: schemes, at: environment.now())
    }

    /// Made once: a name is checked when it is made.
    private static let proofField = HTTPField.Name("DPoP")

    private func verifyBound(
        _ token: String, request: HTTPRequest, schemes: AuthenticationSchemes
    ) async throws(VerificationError) -> VerifiedUser {
        let headers = Self.proofField.map { request.headerFields[values: $0] } ?? []
        guard !resources.isEmpty else { throw VerificationError(.dpopNotOffered) }
        guard headers.count == 1 else { throw VerificationError(.missingProof) }
        let (claims, payload) = try await verifyToken(token)
        guard let thumbprint = claims.cnf?.jkt else { throw VerificationError(.unboundToken) }
        let known = await proofHeaders.header(thumbprint: thumbprint)
        let proof = try check(headers, of: request, token: token, known: known)
        guard proof.thumbprint == thumbprint else { throw VerificationError(.wrongKey) }
        if let header = proof.newHeader { await proofHeaders.keep(header) }
        let now = environment.now()
        let end = try proofs.acceptedUntil(proof, now: now.timeIntervalSince1970)
        // Store the proof 30 seconds longer than it is valid: the guard may use another clock or receive the proof late.
        let used = UsedProof(
            id: proof.replayKey, userID: claims.sub, end: Date(timeIntervalSince1970: end.rounded(.up) + 30))
        try await reserve(used, now: now)
        return VerifiedUser(claims, payload: payload, schemes: schemes, at: now)
    }

    private func verifyToken(_ text: String) async throws(VerificationError) -> (TokenClaims, payload: Data) {
        do {
            let token = try await signedToken(text)
            try claims.check(type: token.type)
            let found = try TokenJSON.read(TokenClaims.self, from: token.payload)
            try claims.check(found, now: environment.seconds)
            return (found, token.payload)
        } catch let error as JWSError {
            throw VerificationError(token: error)
        } catch let error as VerificationError {
            throw error
        } catch {
            throw VerificationError(.malformed)
        }
    }

    private func signedToken(_ text: String) async throws -> VerifiedToken {
        if let known = await keys.knownHeader(of: text) { return try VerifiedToken(text, known: known) }
        let jws = try CompactJWS(parsing: text)
        guard algorithms.contains(jws.algorithm) else { throw JWSError.unsupportedAlgorithm }
        guard let keyID = jws.header.kid else { throw JWSError.malformed }
        let key = try await keys.key(id: keyID)
        let token = try VerifiedToken(jws, key: key)
        if let header = token.knownHeader(of: text, key: key) { await keys.keep(header) }
        return token
    }

    private func check(
        _ headers: [String], of request: HTTPRequest, token: String, known: KnownProofHeader?
    ) throws(VerificationError) -> CheckedProof {
        let targets = resources.targets(path: request.path ?? "/")
        let checker = DPoPProofChecker(
            method: request.method.rawValue, targets: targets, accessToken: token, accessTokenHash: .required,
            known: known)
        do {
            return try checker.check(headers: headers)
        } catch {
            var rejection = VerificationError(proof: error)
            if error == .wrongTarget {
                rejection.targets = ProofTargets(
                    claimed: checker.claimedTarget(headers: headers), expected: targets.first)
            }
            throw rejection
        }
    }

    private func reserve(_ proof: UsedProof, now: Date) async throws(VerificationError) {
        let isNew: Bool
        do {
            isNew = try await replayGuard.reserve(proof, now: now)
        } catch {
            throw VerificationError(.replayGuardUnavailable)
        }
        guard isNew else { throw VerificationError(.replayedProof) }
    }
}

/// The headers of recent proofs, with their keys, so that they are not read again.
///
/// A header is found by the thumbprint in a verified token, so only owners of tokens fill the cache. The cache drops the
/// headers that were not used since it was last full.
actor ProofHeaderCache {
    private let capacity: Int
    private var recent: [String: KnownProofHeader] = [:]
    private var older: [String: KnownProofHeader] = [:]

    /// - Parameter capacity: The cache holds at most twice that many headers, about 1.5 KB each.
    init(capacity: Int = 1024) {
        self.capacity = capacity
    }

    /// The header with a key of this thumbprint (RFC 7638), if a recent proof had it.
    func header(thumbprint: String) -> KnownProofHeader? {
        if let header = recent[thumbprint] { return header }
        guard let header = older[thumbprint] else { return nil }
        keep(header)
        return header
    }

    /// Stores the header of a proof whose signature was valid.
    func keep(_ header: KnownProofHeader) {
        if recent.count >= capacity { (recent, older) = ([:], recent) }
        recent[header.key.thumbprint] = header
    }
}
