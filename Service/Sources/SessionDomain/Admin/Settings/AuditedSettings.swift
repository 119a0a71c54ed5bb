internal import Foundation
package import SessionTokens

/// The settings of an app as events report them: dotted names with values, and without secrets.
///
/// A name is the path of the management API below `config/`, and the member of the body: `login.password.enabled`. The
/// settings of a `SettingsGroup` are all shown; others are listed one by one below, so that a new one is not shown by
/// accident.
package struct AuditedSettings: Sendable {
    /// What is shown in place of a value that can be a secret.
    package static let hidden = JSONValue.string("(hidden)")

    /// What a setting is about.
    private struct Key: Hashable {
        let name: String
        let subject: String
    }

    private var settings: [Key: AuditedSetting] = [:]
    /// In the order of the app.
    private var keys: [Key] = []

    package init(_ app: App) {
        for setting in app.auditedSettings {
            let key = Key(name: setting.name, subject: setting.subject)
            if settings.updateValue(setting, forKey: key) == nil { keys.append(key) }
        }
    }

    /// What events show, by name.
    package var values: [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for key in keys { values[Self.unused(key.name, in: values)] = settings[key]?.shown }
        return values
    }

    /// The settings that differ, each with the values before and after.
    package func changes(to new: AuditedSettings) -> [String: JSONValue] {
        var changes: [String: JSONValue] = [:]
        let all = keys + new.keys.filter { settings[$0] == nil }
        // The values before redaction are compared, to notice a change of what is hidden.
        for key in all where !JSONValue.areIdentical(settings[key]?.value, new.settings[key]?.value) {
            changes[Self.unused(key.name, in: changes)] = .object([
                "before": settings[key]?.shown ?? .null, "after": new.settings[key]?.shown ?? .null,
            ])
        }
        return changes
    }

    /// The name, with a number if another subject already has it: `blocks.a***@example.com (2)`.
    private static func unused(_ name: String, in taken: [String: JSONValue]) -> String {
        guard taken[name] != nil else { return name }
        var number = 2
        while taken["\(name) (\(number))"] != nil { number += 1 }
        return "\(name) (\(number))"
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
    /// Tells settings with the same name apart. No event shows it.
    let subject: String

    /// - Parameter shown: `nil`: the value itself, with long texts shortened and URLs reduced to their origins.
    init(_ name: String, _ value: JSONValue, shown: JSONValue? = nil, subject: String = "") {
        self.name = name
        self.value = value
        self.shown = shown ?? Self.redacted(value)
        self.subject = subject
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

/// The names and values are those of the management API. A test compares both.
extension App {
    /// All settings, without times of changes.
    fileprivate var auditedSettings: [AuditedSetting] {
        let own: [AuditedSetting] = [.init("id", id.rawValue), .init("scopes", scopes)] + audited
        let configs = [
            sessions.audited, otpLimits.audited, passwordLogin?.audited ?? [], otpLogins.flatMap(\.auditedWithID),
            stepUp?.audited ?? [], claims?.audited ?? [], migration?.audited ?? [], passkeys?.audited ?? [],
            delivery?.audited ?? [],
            messages.auditedWithTexts, blocks.map(\.audited),
        ]
        return own + configs.joined()
    }
}

extension SettingsRecord {
    /// Members of objects are settings of their own: `limits.starts.window`.
    fileprivate var audited: [AuditedSetting] {
        func settings(_ name: String, _ value: JSONValue) -> [AuditedSetting] {
            guard case .object(let members) = value else { return [.init(name, value)] }
            return members.flatMap { settings("\(name).\($0.key)", $0.value) }
        }
        return Self.schema.json(self).flatMap { settings(Self.schema.eventPrefix + $0.key, $0.value) }
    }
}

extension OTPLoginConfig {
    /// Each login of an app has names of its own.
    fileprivate var auditedWithID: [AuditedSetting] {
        Self.schema.json(self).map { .init("\(Self.schema.eventPrefix)\(id).\($0.key)", $0.value) }
    }
}

extension StepUpConfig {
    fileprivate var audited: [AuditedSetting] {
        [
            .init("stepup.jwks_url", jwksURL ?? ""), .init("stepup.step_keys", stepKeys),
            .init("stepup.allowed_scopes", .array(rules.map(\.audited))),
        ]
    }
}

extension ScopeRule {
    fileprivate var audited: JSONValue {
        var members: [String: JSONValue] = ["scope": .string(scope)]
        switch mode {
        case .managed: members["mode"] = "managed"
        case .delegated(let hook):
            members["mode"] = "delegated"
            members["delegated"] = .object(["delegation_hook": .string(hook)])
        case .direct(let types, let decision):
            members["mode"] = "direct"
            let types = JSONValue.array(types.map { .string($0.rawValue) })
            members["direct"] = .object(decision.audited.merging(["identifier_types": types]) { first, _ in first })
        }
        return .object(members)
    }
}

extension StepUpDecision {
    fileprivate var audited: [String: JSONValue] {
        switch self {
        case .block: ["status": .string(StepUpStatus.block.rawValue)]
        case .grant(let terms): terms.audited(.continue)
        case .review(let terms, let steps):
            terms.audited(.review).merging(["steps": .array(steps.map(\.audited))]) { first, _ in first }
        }
    }
}

extension GrantTerms {
    fileprivate func audited(_ status: StepUpStatus) -> [String: JSONValue] {
        [
            "status": .string(status.rawValue), "granted_for": .int(Int64(grantedFor)),
            "grant_mode": .string(mode.rawValue),
        ]
    }
}

extension StepUpStep {
    fileprivate var audited: JSONValue {
        .object([
            "order": .int(Int64(order)), "key": .string(key), "expiration_duration": .int(Int64(expirationDuration)),
        ])
    }
}

extension ClaimsConfig {
    /// One setting for each claim, with its name as it is. A literal can be a secret, so nothing of it is shown.
    fileprivate var audited: [AuditedSetting] {
        mapping.map { name, source in
            if case .literal = source {
                return .init("claims.mapping.\(name)", source.json, shown: AuditedSettings.hidden)
            }
            return .init("claims.mapping.\(name)", source.json, shown: source.json)
        }
    }
}

extension DeliveryConfig {
    /// One setting for each channel. Nothing of a secret is shown.
    fileprivate var audited: [AuditedSetting] {
        OTPLoginConfig.Channel.allCases.filter { !self[$0].isEmpty }.map { channel in
            AuditedSetting(
                "delivery.\(channel.rawValue)", .array(self[channel].map { $0.audited(secret: $0.sealedSecret) }),
                shown: AuditedSetting.redacted(
                    .array(self[channel].map { $0.audited(secret: $0.sealedSecret.map { _ in "(hidden)" }) })))
        }
    }
}

extension DeliveryConfig.Route {
    fileprivate func audited(secret: String?) -> JSONValue {
        var members: [RouteField: JSONValue] = [.kind: .string(settings.kind.rawValue)]
        members[.host] = settings.host.map(JSONValue.string)
        members[.port] = settings.port.map { .int(Int64($0)) }
        members[.tls] = settings.tls.map { .string($0.rawValue) }
        members[.authentication] = settings.authentication.map { .string($0.rawValue) }
        members[.username] = settings.username.map(JSONValue.string)
        members[.account] = settings.account.map(JSONValue.string)
        members[.url] = settings.url.map(JSONValue.string)
        members[.from] = settings.from.map(JSONValue.string)
        members[.secret] = secret.map(JSONValue.string)
        return .object(Dictionary(uniqueKeysWithValues: members.map { ($0.key.rawValue, $0.value) }))
    }
}

extension MessageSettings {
    fileprivate var auditedWithTexts: [AuditedSetting] {
        let texts = templates.flatMap { template in
            let path = "templates.\(template.channel.rawValue).\(template.purpose.rawValue).\(template.locale)"
            return [.init("\(path).text", template.text)]
                + (template.subject.map { [AuditedSetting("\(path).subject", $0)] } ?? [])
        }
        return audited + texts + notices.audited
    }
}
