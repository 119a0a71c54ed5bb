internal import Foundation
package import SessionTokens

/// The settings of an app as events report them: dotted names with values, and without secrets.
///
/// A name is the path of the management API below `config/`, and the member of the body: `login.password.enabled`. The
/// members of `AuditedSettings+App.swift` are listed one by one, so that a new setting is not shown by accident.
package struct AuditedSettings: Sendable, Equatable {
    /// What is shown in place of a value that can be a secret.
    package static let hidden = JSONValue.string("(hidden)")

    /// By name.
    package private(set) var values: [String: JSONValue] = [:]
    /// The values before redaction, to notice a change of what is hidden.
    private var originals: [String: JSONValue] = [:]

    package init(_ app: App) {
        for setting in app.auditedSettings {
            values[setting.name] = setting.shown
            originals[setting.name] = setting.value
        }
    }

    /// The settings that differ, each with the values before and after.
    package func changes(to new: AuditedSettings) -> [String: JSONValue] {
        var changes: [String: JSONValue] = [:]
        for name in Set(originals.keys).union(new.originals.keys) where originals[name] != new.originals[name] {
            changes[name] = .object(["before": values[name] ?? .null, "after": new.values[name] ?? .null])
        }
        return changes
    }

    /// The origin of a URL, with `/…` if something follows it. Its user, path and query can contain a secret.
    package static func origin(of url: String) -> String? {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme, let host = parts.host, !host.isEmpty
        else { return nil }
        let port = parts.port.map { ":\($0)" } ?? ""
        let isWhole = ["", "/"].contains(parts.path) && parts.query == nil && parts.fragment == nil
        return "\(scheme)://\(host)\(port)" + (isWhole ? "" : "/…")
    }
}

/// One setting of an app.
struct AuditedSetting: Sendable {
    let name: String
    let value: JSONValue
    /// What events show of the value.
    let shown: JSONValue

    /// - Parameter shown: `nil`: the value itself, with long texts shortened and URLs reduced to their origins.
    init(_ name: String, _ value: JSONValue, shown: JSONValue? = nil) {
        self.name = name
        self.value = value
        self.shown = shown ?? Self.redacted(value)
    }

    init(_ name: String, _ value: Int) { self.init(name, .int(Int64(value))) }
    init(_ name: String, _ value: Bool) { self.init(name, .bool(value)) }
    init(_ name: String, _ value: String) { self.init(name, .string(value)) }
    init(_ name: String, _ value: [String]) { self.init(name, .array(value.map(JSONValue.string))) }

    static func redacted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .null, .bool, .int, .double: value
        case .string(let text): .string(redacted(text))
        case .array(let elements): .array(elements.map(redacted))
        case .object(let members): .object(members.mapValues(redacted))
        }
    }

    private static func redacted(_ text: String) -> String {
        if text.contains("://") { return AuditedSettings.origin(of: text) ?? "(hidden)" }
        return text.count <= maximumTextLength ? text : text.prefix(maximumTextLength) + "…"
    }

    private static let maximumTextLength = 256
}
