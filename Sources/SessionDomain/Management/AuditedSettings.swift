internal import Foundation
package import SessionTokens

/// The settings of an app as events report them: dotted names with values, and without secrets.
///
/// Numbers and switches are shown. Text is shown only if its name is listed here, so a new setting with a secret is hidden
/// until it is added. Of a URL only the origin is shown, because its user, path and query can contain a secret.
package struct AuditedSettings: Sendable, Equatable {
    /// Names of settings whose text is shown. `*` stands for one part, and `**` at the end for any number.
    private static let shownTexts = [
        "id", "name", "domains", "allowed_origins", "signing_algorithm", "scopes", "sessions.access_token_binding",
        "sessions.nonce_policy", "sessions.device_key", "otp_limits.allowed_prefixes", "otp_logins.*.id",
        "otp_logins.*.channel", "otp_logins.*.template_id",
        "otp_logins.*.sender_id", "otp_logins.*.granted_scopes", "step_up.step_keys", "step_up.rules.**",
        "claims.mapping.*.custom_claim", "claims.mapping.*.input.**",
    ].map { $0.split(separator: ".") }

    /// What is shown in place of a text that is not listed.
    package static let hidden = JSONValue.string("(hidden)")
    private static let maximumTextLength = 256

    /// By name.
    package private(set) var values: [String: JSONValue] = [:]
    /// The values before redaction, to notice a change of what is hidden.
    private var originals: [String: JSONValue] = [:]

    package init(_ app: App) throws {
        // Not the strict reader of requests: a claim may be nested as deeply as that reader allows.
        let stored = try JSONDecoder().decode(JSONValue.self, from: TokenJSON.encode(app))
        add(Self.renamed(stored), at: [])
    }

    /// The settings that differ, each with the values before and after.
    package func changes(to new: AuditedSettings) -> [String: JSONValue] {
        var changes: [String: JSONValue] = [:]
        for name in Set(originals.keys).union(new.originals.keys) where originals[name] != new.originals[name] {
            changes[name] = .object(["before": values[name] ?? .null, "after": new.values[name] ?? .null])
        }
        return changes
    }

    /// Splits objects, and lists of objects with ids, into their members. Times of changes are left out.
    private mutating func add(_ value: JSONValue, at path: [String]) {
        switch value {
        case .object(let members) where !members.isEmpty:
            for (name, member) in members where name != "created_at" && name != "updated_at" {
                add(member, at: path + [name])
            }
        case .array(let elements) where !elements.isEmpty && elements.allSatisfy({ $0.id != nil }):
            for element in elements { add(element, at: path + [element.id ?? ""]) }
        default:
            let name = path.joined(separator: ".")
            originals[name] = value
            values[name] = Self.shown(value, at: path)
        }
    }

    private static func shown(_ value: JSONValue, at path: [String]) -> JSONValue {
        switch value {
        case .null, .bool, .int, .double: value
        case .string(let text): shown(text, at: path)
        case .array(let elements): .array(elements.map { shown($0, at: path) })
        case .object(let members):
            .object(Dictionary(uniqueKeysWithValues: members.map { ($0, shown($1, at: path + [$0])) }))
        }
    }

    private static func shown(_ text: String, at path: [String]) -> JSONValue {
        if text.contains("://") { return origin(of: text).map(JSONValue.string) ?? hidden }
        guard shownTexts.contains(where: { matches(path, $0) }) else { return hidden }
        return .string(text.count <= maximumTextLength ? text : text.prefix(maximumTextLength) + "…")
    }

    /// The origin of a URL, with `/…` if something follows it.
    package static func origin(of url: String) -> String? {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme, let host = parts.host, !host.isEmpty
        else { return nil }
        let port = parts.port.map { ":\($0)" } ?? ""
        let isWhole = ["", "/"].contains(parts.path) && parts.query == nil && parts.fragment == nil
        return "\(scheme)://\(host)\(port)" + (isWhole ? "" : "/…")
    }

    private static func matches(_ path: [String], _ pattern: [Substring]) -> Bool {
        if pattern.last == "**" {
            return path.count >= pattern.count - 1 && matches(Array(path.prefix(pattern.count - 1)), pattern.dropLast())
        }
        return path.count == pattern.count && zip(path, pattern).allSatisfy { $1 == "*" || $0 == $1 }
    }

    /// Writes stored names as the management API does, and values of enum cases without `_0`.
    private static func renamed(_ value: JSONValue) -> JSONValue {
        switch value {
        case .null, .bool, .int, .double, .string: return value
        case .array(let elements): return .array(elements.map(renamed))
        case .object(let members):
            if let only = members["_0"] {
                let others = members.keys.filter { $0 != "_0" }.sorted()
                if others.isEmpty { return renamed(only) }
                return .array(([only] + others.compactMap { members[$0] }).map(renamed))
            }
            return .object(
                Dictionary(members.map { (snakeCase($0), renamed($1)) }, uniquingKeysWith: { first, _ in first }))
        }
    }

    /// `idleLifetime` becomes `idle_lifetime`, and `jwksURL` becomes `jwks_url`.
    private static func snakeCase(_ name: String) -> String {
        var result = ""
        var wasLower = false
        for character in name {
            if character.isUppercase, wasLower { result += "_" }
            wasLower = character.isLowercase || character.isNumber
            result += character.lowercased()
        }
        return result
    }
}

extension JSONValue {
    fileprivate var id: String? {
        if case .object(let members) = self { members["id"]?.stringValue } else { nil }
    }
}
