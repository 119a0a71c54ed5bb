internal import Foundation
internal import SessionTokens

/// Where the service is, and what follows from that.
struct ServiceOrigin {
    /// `iss`: the bare host, without a port.
    let issuer: String
    /// The address of the JWK Set.
    let keySet: URL

    init(_ service: String) throws(VerifierConfigurationError) {
        guard let target = TargetURI(service), target.path == "/", !service.contains(where: { "?#".contains($0) }),
            let url = URL(string: target.origin + "/.well-known/jwks.json")
        else { throw VerifierConfigurationError("service", "must be an origin such as https://session.example.com") }
        guard target.isSafe else {
            throw VerifierConfigurationError("service", "must be https: whoever can change the keys can be anybody")
        }
        issuer = target.host
        keySet = url
    }
}

extension TargetURI {
    /// Whether nobody on the way reads along or changes anything: https, or this machine.
    var isSafe: Bool { origin.hasPrefix("https:") || isLoopback }
}
