internal import Foundation
internal import SessionTokens

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
    var isSafe: Bool { origin.hasPrefix("https:") || isLoopback }
}
