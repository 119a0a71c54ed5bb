public import Foundation
internal import SessionTokens

/// The options of a verifier.
public struct VerifierOptions: Sendable {
    /// The accepted signature algorithms (RFC 8725 §3.1). Each key is used with one algorithm only. Tokens may name Ed25519
    /// as `EdDSA` or as `Ed25519` (RFC 9864).
    public var algorithms: Set<SignatureAlgorithmName> = [.edDSA, .es256, .rs256]

    /// The `typ` and the claims that a token must have.
    public var profile = TokenProfile.accessToken

    /// The accepted values of `iss`; `nil` accepts the host of the service only.
    ///
    /// Set both domains while an app moves to another domain. Set the public domain if the verifier fetches the keys under
    /// another name.
    public var issuers: Set<String>?

    /// The accepted clock difference for `exp` and `nbf`, in seconds; 0 to 300.
    public var leeway: TimeInterval = 5

    /// The accepted difference between the `iat` of a DPoP proof and the clock, in seconds (RFC 9449 §11.1); 5 to 300.
    public var proofWindow: TimeInterval = 60

    /// When a proof must carry a nonce of this backend (RFC 9449 §9).
    public var nonces = NoncePolicy.never

    /// Stores used proofs, so that each proof is accepted once (RFC 9449 §11.1).
    ///
    /// The default guard works within one process. Backends with several processes can implement ``ReplayGuard`` with their
    /// database or cache.
    public var replayGuard: any ReplayGuard = InMemoryReplayGuard()

    /// How the verifier caches the service's keys.
    public var keys = KeyCachePolicy()

    /// The clock of the verifier.
    public var environment = VerifierEnvironment.live

    /// Creates the default options.
    public init() {}
}

extension VerifierOptions {
    /// Checks the options.
    ///
    /// - Throws: ``VerifierConfigurationError``, which names the option.
    func validate() throws(VerifierConfigurationError) {
        guard (0...300).contains(leeway) else {
            throw VerifierConfigurationError("options.leeway", "must be 0 to 300 seconds")
        }
        guard (5...300).contains(proofWindow) else {
            throw VerifierConfigurationError("options.proofWindow", "must be 5 to 300 seconds")
        }
        guard algorithms.contains(where: { SignatureAlgorithm(rawValue: $0.rawValue) != nil }) else {
            throw VerifierConfigurationError("options.algorithms", "must contain EdDSA, Ed25519, ES256 or RS256")
        }
        guard issuers.map({ !$0.isEmpty }) ?? true else {
            throw VerifierConfigurationError(
                "options.issuers", "must contain an issuer, or be nil for the service's host")
        }
        try keys.validate()
        try nonces.validate()
    }
}

/// The name of a JWS algorithm (RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2).
public struct SignatureAlgorithmName: RawRepresentable, Hashable, Sendable {
    /// The value of `alg`.
    public let rawValue: String

    /// Creates a name. The verifier never accepts algorithms that it does not support.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Ed25519 under its older name. ``edDSA`` and ``ed25519`` mean the same: each one accepts both names.
    public static let edDSA = SignatureAlgorithmName(rawValue: "EdDSA")
    /// Ed25519 under its name of RFC 9864.
    public static let ed25519 = SignatureAlgorithmName(rawValue: "Ed25519")
    /// ECDSA with P-256 and SHA-256.
    public static let es256 = SignatureAlgorithmName(rawValue: "ES256")
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    public static let rs256 = SignatureAlgorithmName(rawValue: "RS256")
}

/// The URLs that apps use for this backend. DPoP proofs must name one of them (RFC 9449 §4.3 step 9).
struct ProtectedResources: Sendable {
    /// Without a slash at the end.
    private let texts: [String]
    /// The same as normalised origins; `nil` if one of them has a path. Their targets need no parser.
    private let origins: [String]?

    /// - Throws: `VerifierConfigurationError` for a text that is no URL, and for plain http beyond the loopback interface.
    init(_ resources: [String]) throws(VerifierConfigurationError) {
        var origins: [String] = []
        for resource in resources {
            guard let target = TargetURI(resource), !resource.contains(where: { "?#".contains($0) }) else {
                throw VerifierConfigurationError("resources", "must be URLs such as https://api.example.com")
            }
            guard target.isSafe else {
                throw VerifierConfigurationError(
                    "resources", "must be https: a token sent over plain http can be stolen")
            }
            if target.path == "/" { origins.append(target.origin) }
        }
        texts = resources.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        self.origins = origins.count == resources.count ? origins : nil
    }

    var isEmpty: Bool { texts.isEmpty }
    var first: String? { texts.first }

    /// The targets that the path of a request has under these URLs.
    func targets(path: String) -> [TargetURI] {
        if let origins { return TargetURI.targets(ofOrigins: origins, path: path) }
        return texts.compactMap { TargetURI(origin: $0, path: path) }
    }
}

/// The service's issuer and key set URL, derived from its origin.
struct ServiceOrigin {
    /// The expected `iss`: the host without a port.
    let issuer: String
    /// The URL of the JWK Set.
    let keySet: URL

    init(_ service: String) throws(VerifierConfigurationError) {
        guard let target = TargetURI(service), target.path == "/", !service.contains(where: { "?#".contains($0) }),
            let url = URL(string: target.origin + "/.well-known/jwks.json")
        else { throw VerifierConfigurationError("service", "must be an origin such as https://session.example.com") }
        guard target.isSafe else {
            throw VerifierConfigurationError(
                "service", "must be https: an attacker who changes the keys can sign any token")
        }
        issuer = target.host
        keySet = url
    }
}

extension TargetURI {
    /// Whether the connection cannot be read or changed on its way: https, or the loopback interface.
    fileprivate var isSafe: Bool { origin.hasPrefix("https:") || isLoopback }
}

/// A parameter or an option of a verifier has an invalid value.
public struct VerifierConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the parameter or option.
    public let field: String
    /// What the value must be.
    public let message: String

    init(_ field: String, _ message: String) {
        self.field = field
        self.message = message
    }

    /// The field and what it must be.
    public var description: String { "\(field) \(message)" }
}
