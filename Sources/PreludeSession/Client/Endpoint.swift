internal import Foundation
internal import SessionTokens

/// The URL of the session service.
public enum Endpoint: Sendable, Hashable {
    /// A development service on this device, `http://localhost:8080`.
    case `default`
    /// An origin such as `https://app1234.session.example.com`. Plain http is allowed for loopback only.
    case custom(String)

    /// - Throws: `PreludeSessionError.invalidConfiguration` for anything but an https origin or a loopback http origin.
    func origin() throws(PreludeSessionError) -> String {
        let text =
            switch self {
            case .default: "http://localhost:8080"
            case .custom(let text): text
            }
        guard let target = TargetURI(text), target.path == "/", !text.contains("?"), !text.contains("#") else {
            throw .invalidConfiguration("the endpoint must be an origin, such as https://session.example.com")
        }
        guard target.origin.hasPrefix("https://") || target.isLoopback else {
            throw .invalidConfiguration(
                "the endpoint must begin with https://; plain http is allowed for loopback only")
        }
        return target.origin
    }
}
