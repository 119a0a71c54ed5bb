internal import Foundation
package import SessionTokens

/// The origins under which configuration says that apps are reached.
///
/// Issuer and DPoP targets are made of these alone; what a caller writes into `Host` only chooses the app.
package struct PublicOrigins: Sendable {
    /// `https://{app_id}.session.example.com`, or one fixed origin for the default app.
    private let template: String
    /// Further names of the same service: the loopback names in development.
    private let aliases: [String]
    /// The bare host of the template, cut where an app's id stands; one piece for a fixed origin.
    private let hostPieces: [String]

    /// - Throws: `Refusal.invalidField("public-url")` for anything but an http(s) origin, with or without `{app_id}`.
    package init(publicURL: String, aliases: [String] = []) throws(Refusal) {
        var trimmed = publicURL
        while trimmed.hasSuffix("/") { trimmed.removeLast() }
        let sample = trimmed.replacingOccurrences(of: "{app_id}", with: "abcdefg")
        guard let target = TargetURI(sample), target.path == "/", target.origin == sample.lowercased() else {
            throw .invalidField(
                "public-url", "must be an origin such as https://session.example.com or https://{app_id}.example.com")
        }
        template = trimmed
        self.aliases = aliases
        let host = target.host
        hostPieces = trimmed.contains("{app_id}") ? host.components(separatedBy: "abcdefg") : [host]
    }

    /// All origins of an app, the one that names it first: custom domains come before the template.
    package func origins(of app: App) -> [String] {
        app.domains.map { "https://\($0)" } + [template.replacingOccurrences(of: "{app_id}", with: app.id.rawValue)]
            + aliases
    }

    /// What the service's own name says about a bare host: an app, `nil` for the default app, or nothing at all.
    ///
    /// It goes before custom domains: no app can take a host that is another's by its id.
    func owner(ofHost host: String) -> Owner? {
        guard hostPieces.count == 2 else { return [host] == hostPieces ? .defaultApp : nil }
        let (before, after) = (hostPieces[0], hostPieces[1])
        guard host.hasPrefix(before), host.hasSuffix(after),
            let id = AppID(host.dropFirst(before.count).dropLast(after.count))
        else { return nil }
        return .app(id)
    }

    enum Owner: Equatable {
        case app(AppID)
        case defaultApp
    }

    /// Bare host of the first origin: the `iss` of its tokens.
    package func issuer(of app: App) -> String {
        origins(of: app).first.flatMap { TargetURI($0)?.host } ?? ""
    }

    /// The targets a proof may name for a path of this app.
    package func targets(of app: App, path: String) -> [TargetURI] {
        origins(of: app).compactMap { TargetURI(origin: $0, path: path) }
    }
}
