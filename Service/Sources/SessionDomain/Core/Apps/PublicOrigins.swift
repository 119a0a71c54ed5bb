internal import Foundation
internal import SessionTokens

/// The configured origins under which apps are reached.
///
/// Issuer and DPoP targets are built from these only. The caller's `Host` header only selects the app.
package struct PublicOrigins: Sendable {
    /// `https://{app_id}.session.example.com`, split at `{app_id}`, or one fixed origin for the default app.
    private let template: [String]
    /// Further origins of the service: the loopback origins in development mode.
    private let aliases: [String]
    /// The host of the template, split at `{app_id}`. One part for a fixed origin.
    private let hostParts: [String]

    /// - Parameter publicURL: An http(s) origin, with or without `{app_id}`.
    /// - Throws: `Refusal.invalidField("public-url")` for anything else.
    package init(publicURL: String, aliases: [String] = []) throws(Refusal) {
        var trimmed = publicURL
        while trimmed.hasSuffix("/") { trimmed.removeLast() }
        try Self.checkPlaceholders(in: trimmed)
        let sample = trimmed.replacingOccurrences(of: "{app_id}", with: "abcdefg")
        let target = TargetURI(sample)
        if let target, target.path != "/" {
            throw .invalidField(
                "public-url",
                "has the path \(target.path), and the service cannot be below a path of another site: give it a host of its own, "
                    + "such as https://session.example.com. Cookies, tokens and proofs are bound to the whole host")
        }
        guard let target, target.origin == sample.lowercased() else {
            throw .invalidField(
                "public-url", "must be an origin such as https://session.example.com or https://{app_id}.example.com")
        }
        guard target.host.hasPrefix("[") || !target.host.components(separatedBy: ".").contains("") else {
            throw .invalidField("public-url", "contains a host name with an empty label")
        }
        guard target.host != "abcdefg" else {
            throw .invalidField("public-url", "needs a domain behind {app_id}, as in https://{app_id}.example.com")
        }
        template = trimmed.components(separatedBy: "{app_id}")
        self.aliases = aliases
        let host = target.host
        hostParts = trimmed.contains("{app_id}") ? host.components(separatedBy: "abcdefg") : [host]
    }

    /// A misspelled placeholder would be part of a host that no client can reach.
    private static func checkPlaceholders(in url: String) throws(Refusal) {
        let parts = url.components(separatedBy: "{app_id}")
        guard parts.count <= 2 else { throw .invalidField("public-url", "must contain {app_id} once only") }
        guard let wrong = parts.joined().first(where: { "{}*<>$%".contains($0) }) else { return }
        let end = url.firstIndex(of: "{").flatMap { start in url[start...].firstIndex(of: "}").map { url[start...$0] } }
        let found = wrong == "{" ? end.map(String.init) ?? "{" : String(wrong)
        throw .invalidField("public-url", "contains \(found). Write {app_id} where the id of an app stands")
    }

    /// Returns all origins of an app, its main origin first: custom domains, then the template, then the aliases.
    package func origins(of app: App) -> [String] {
        app.domains.map { "https://\($0)" } + [template.joined(separator: app.id.rawValue)] + aliases
    }

    /// Returns which app owns a host by the service's own name, or `nil` if the host is not the service's own name.
    ///
    /// This takes precedence over custom domains, so that no app can claim the host that belongs to another app's id.
    ///
    /// - Parameter host: A host in lower case, without port.
    func owner(ofHost host: String) -> Owner? {
        guard hostParts.count == 2 else { return [host] == hostParts ? .defaultApp : nil }
        let (before, after) = (hostParts[0], hostParts[1])
        guard host.hasPrefix(before), host.hasSuffix(after),
            let id = AppID(host.dropFirst(before.count).dropLast(after.count))
        else { return nil }
        return .app(id)
    }

    /// Whether a certificate with these names is valid for the host of an app (RFC 9525 §6.3). With `{app_id}`, the name of one
    /// app is enough.
    package func areNamed(in names: [String]) -> Bool {
        let host = hostParts.joined(separator: "{app_id}")
        let parent = host.drop { $0 != "." }
        return names.contains { name in
            let name = name.lowercased()
            // The wildcard stands for the first label.
            return owner(ofHost: name) != nil || (name.hasPrefix("*.") && name.dropFirst() == parent)
        }
    }

    enum Owner: Equatable {
        case app(AppID)
        case defaultApp
    }

    /// Returns all origins of an app, normalised, its main origin first: what a proof may name (RFC 9449 §4.3 step 9).
    func normalisedOrigins(of app: App) -> [String] { origins(of: app).compactMap { TargetURI($0)?.origin } }

    /// Returns the host of the app's first origin: the `iss` of its tokens.
    package func issuer(of app: App) -> String {
        origins(of: app).first.flatMap { TargetURI($0)?.host } ?? ""
    }
}
