package import SessionTokens

/// Settings with a schema. What is said about a setting is said once, in the schema: from it come the stored form, the
/// management API, events, the form of the console, and the command `config`.
///
/// ```swift
/// package struct NoticeSettings: SettingsGroup {
///     package var newDevice = false
///     package static let defaults = Self()
///     package static let schema = SettingsSchema<Self>("notices", [
///         .init(nil, [.flag("new_device", \.newDevice, "A sign-in from a new device")])
///     ])
/// }
/// ```
package protocol SettingsRecord: Sendable, Equatable, Codable {
    static var defaults: Self { get }
    static var schema: SettingsSchema<Self> { get }
    /// Notes the time of a change, if the record has one.
    mutating func touch(at time: Timestamp)
}

extension SettingsRecord {
    package mutating func touch(at time: Timestamp) {}

    /// Takes over the settings of the schema. What else the record has stays: an app has its groups, messages have texts.
    package mutating func replaceSettings(by next: Self) {
        for field in Self.schema.fields { field.copy(next, &self) }
    }
}

/// Settings that show when they were created and changed.
package protocol DatedSettings: SettingsRecord {
    var createdAt: Timestamp { get set }
    var updatedAt: Timestamp { get set }
}

extension DatedSettings {
    package mutating func touch(at time: Timestamp) {
        if createdAt == .never { createdAt = time }
        updatedAt = time
    }
}

/// Settings of an app that are read and changed together.
package protocol SettingsGroup: SettingsRecord {
    /// Where an app has the group. For one that it may be without, the place has the defaults then.
    static var place: any WritableKeyPath<App, Self> & Sendable { get }
    static func isConfigured(in app: App) -> Bool
    /// Names the group in errors, such as `password login`.
    static var title: String { get }
    /// Rejects settings that do not fit the other settings of the app.
    func check(in app: App) throws(Refusal)
}

extension SettingsGroup {
    package static func isConfigured(in app: App) -> Bool { true }
    package static var title: String { schema.name }
    package func check(in app: App) throws(Refusal) {}
}

package struct SettingsSchema<Group: Sendable>: Sendable {
    package struct Section: Sendable {
        /// `nil` for fields without a title.
        package let title: String?
        package let fields: [SettingsField<Group>]

        package init(_ title: String?, _ fields: [SettingsField<Group>]) {
            self.title = title
            self.fields = fields
        }
    }

    /// The name in the command `config`: the path below `config/` of the management API, with dots.
    package let name: String
    /// Before the names in events, such as `limits.`.
    package let eventPrefix: String
    package let sections: [Section]

    /// - Parameter eventPrefix: `nil`: the name and a dot.
    package init(_ name: String, eventPrefix: String? = nil, _ sections: [Section]) {
        self.name = name
        self.eventPrefix = eventPrefix ?? name + "."
        self.sections = sections
    }

    package var fields: [SettingsField<Group>] { sections.flatMap(\.fields) }

    /// Rejects values that are out of range or contradict each other.
    ///
    /// - Parameter stored: The settings before the change, if there are any. Values that do not change are accepted: an earlier
    ///   version may have stored one that is out of range now.
    /// - Throws: `Refusal.invalidField` with the name of the member in the management API.
    package func check(_ group: Group, replacing stored: Group? = nil) throws(Refusal) {
        let changed = fields.filter { field in
            guard let stored else { return true }
            return !JSONValue.areIdentical(field.json(stored), field.json(group))
        }
        // A value that is out of range itself comes before one that its value makes wrong.
        for field in changed where !field.isRelative { try field.check(group, stored) }
        for field in fields where field.isRelative { try field.check(group, stored) }
    }

    /// All settings by their names in the management API. One that has no value is left out.
    package func json(_ group: Group) -> [String: JSONValue] {
        Dictionary(uniqueKeysWithValues: fields.compactMap { field in field.json(group).map { (field.name, $0) } })
    }

    /// Replaces the settings that a decoder has, by these names.
    ///
    /// - Parameter names: Which of the names of a field the decoder has.
    /// - Returns: The names of the fields that were there.
    @discardableResult
    package func read(_ decoder: any Decoder, names: SettingNames, into group: inout Group) throws -> Set<String> {
        let members = SettingMembers(
            container: try decoder.container(keyedBy: SettingKey.self), names: names, path: "")
        return try read(members, into: &group)
    }

    /// The URLs that the service calls, with their names.
    func calledURLs(_ group: Group) -> [(name: String, url: String)] { fields.compactMap { $0.calledURL(group) } }

    func read(_ members: SettingMembers, into group: inout Group) throws -> Set<String> {
        var found: Set<String> = []
        var refusal: Refusal?
        for field in fields {
            do {
                if try field.read(members, &group) { found.insert(field.name) }
            } catch let error as Refusal {
                // All members are read, so that the decoder knows which of them are unknown.
                refusal = refusal ?? error
            }
        }
        if let refusal { throw refusal }
        return found
    }
}

/// The settings of a request. They are not checked yet.
package struct SettingsBody<Group: SettingsRecord>: Sendable, Decodable {
    private var given = Group.defaults
    /// The members that the request has.
    package let names: Set<String>

    package init(from decoder: any Decoder) throws {
        names = try Group.schema.read(decoder, names: .api, into: &given)
    }

    /// What `PUT` does. A member that is missing gets its default, or keeps the stored value if its field says so.
    package func settings(replacing stored: Group) -> Group {
        var next = stored
        for field in Group.schema.fields where names.contains(field.name) || !field.isKept { field.copy(given, &next) }
        return next
    }

    /// What `PATCH` does. A member that is missing keeps the stored value.
    package func change(_ stored: inout Group) {
        for field in Group.schema.fields where names.contains(field.name) { field.copy(given, &stored) }
    }
}

/// One setting of a group.
package struct SettingsField<Group: Sendable>: Sendable {
    /// The name in the management API.
    package let name: String
    package let label: String
    package let hint: String?
    package let control: SettingControl
    /// What values are possible, for hints and pages, such as `60 to 600 seconds`.
    package let range: String?
    package let unit: SettingUnit?
    /// Whether a request that replaces the group and leaves the setting out keeps the stored value, and does not set the default.
    private(set) var isKept = false
    /// The name in the database, if it is not the name in another spelling.
    private(set) var storedName: String
    /// The URL that the service calls, with its name, if the setting is one.
    private(set) var calledURL: @Sendable (Group) -> (name: String, url: String)? = { _ in nil }
    /// Whether an end of its range is the value of another setting.
    private(set) var isRelative = false
    private(set) var check: @Sendable (_ group: Group, _ stored: Group?) throws(Refusal) -> Void = {
        _, _ throws(Refusal) in
    }
    /// Returns whether the member is there.
    private(set) var read: @Sendable (SettingMembers, inout Group) throws -> Bool
    /// The value as JSON. `nil`: none. It is shown in events, so a secret must not be a setting of a group.
    package let json: @Sendable (Group) -> JSONValue?
    let copy: @Sendable (_ from: Group, _ to: inout Group) -> Void

    /// - Parameter read: Returns `nil` if the member is missing.
    private init<Value: Sendable>(
        _ name: String, _ path: any WritableKeyPath<Group, Value> & Sendable, _ label: String, hint: String?,
        _ control: SettingControl, range: String? = nil, unit: SettingUnit? = nil,
        json: @escaping @Sendable (Value) -> JSONValue?,
        read: @escaping @Sendable (SettingMembers, _ default: Value) throws -> Value?
    ) {
        (self.name, self.label, self.hint, self.control) = (name, label, hint, control)
        (self.range, self.unit, storedName) = (range, unit, SettingKey.stored(name))
        self.json = { json($0[keyPath: path]) }
        self.read = { members, group in
            guard let value = try read(members, group[keyPath: path]) else { return false }
            group[keyPath: path] = value
            return true
        }
        copy = { $1[keyPath: path] = $0[keyPath: path] }
    }

    /// The same setting with one more rule.
    ///
    /// - Parameter isRelative: Whether the rule compares the value with another setting.
    package func checked(
        isRelative: Bool = false, _ rule: @escaping @Sendable (_ group: Group, _ stored: Group?) throws(Refusal) -> Void
    ) -> Self {
        let before = check
        var field = self
        field.isRelative = self.isRelative || isRelative
        field.check = { group, stored throws(Refusal) in
            try before(group, stored)
            try rule(group, stored)
        }
        return field
    }

    /// The same setting, which the database has by another name.
    package func stored(as name: String) -> Self {
        let (own, read) = (self.name, read)
        var field = self
        field.read = { members, group in try read(members.storing(own, as: name), &group) }
        field.storedName = name
        return field
    }

    /// The same setting, which stays as it is when a request that replaces the group leaves it out.
    package func kept() -> Self {
        var field = self
        field.isKept = true
        return field
    }
}

package enum SettingUnit: String, Sendable {
    case seconds, days
}

/// A value of a choice, and what operators see.
package struct SettingWord: Sendable {
    package let value: String
    package let label: String
}

/// An end of a range: a number, or the value of another setting.
package struct SettingBound<Group: Sendable>: Sendable, ExpressibleByIntegerLiteral {
    let text: String
    let isRelative: Bool
    let value: @Sendable (Group) -> Int

    package init(integerLiteral value: Int) { self.init("\(value)", isRelative: false) { _ in value } }

    package static func value(_ value: Int) -> Self { Self(integerLiteral: value) }

    private init(_ text: String, isRelative: Bool, _ value: @escaping @Sendable (Group) -> Int) {
        self.text = text
        self.isRelative = isRelative
        self.value = value
    }

    package static func setting(_ name: String, _ path: any KeyPath<Group, Int> & Sendable) -> Self {
        Self(name, isRelative: true) { $0[keyPath: path] }
    }
}

extension SettingsField {
    package static func number(
        _ name: String, _ path: any WritableKeyPath<Group, Int> & Sendable, from least: SettingBound<Group>,
        to most: SettingBound<Group>, in unit: SettingUnit? = nil, _ label: String, hint: String? = nil
    ) -> Self {
        let range = "\(least.text) to \(most.text)" + (unit.map { " \($0.rawValue)" } ?? "")
        let field = Self(
            name, path, label, hint: hint, .number(isRequired: true), range: range, unit: unit,
            json: { .int(Int64($0)) }, read: { members, _ in try members.value(Int.self, name) })
        return field.checked(isRelative: least.isRelative || most.isRelative) { group, _ throws(Refusal) in
            let (first, value) = (least.value(group), group[keyPath: path])
            guard value >= first, value <= most.value(group) else { throw .invalidField(name, "must be \(range)") }
        }
    }

    /// A number that may be missing.
    package static func number(
        _ name: String, _ path: any WritableKeyPath<Group, Int?> & Sendable, in values: ClosedRange<Int>,
        in unit: SettingUnit? = nil, _ label: String, hint: String? = nil
    ) -> Self {
        let range = "\(values.lowerBound) to \(values.upperBound)" + (unit.map { " \($0.rawValue)" } ?? "")
        let field = Self(
            name, path, label, hint: hint, .number(isRequired: false), range: range, unit: unit,
            json: { $0.map { .int(Int64($0)) } },
            read: { members, _ in try members.value(Int.self, name).map(Optional.some) })
        return field.checked { group, _ throws(Refusal) in
            guard group[keyPath: path].map(values.contains) ?? true else {
                throw .invalidField(name, "must be \(range), or left out")
            }
        }
    }

    /// At most a number of events in a window.
    package static func rate(
        _ name: String, _ path: any WritableKeyPath<Group, RateLimit> & Sendable, longest: Int = 86_400,
        _ label: String,
        hint: String? = nil
    ) -> Self {
        let field = Self(
            name, path, label, hint: hint, .rate, range: "limit 0 to 1000000, window 1 to \(longest) seconds",
            json: { .object(["limit": .int(Int64($0.limit)), "window": .int(Int64($0.window))]) },
            read: { members, _ in try members.value(RateLimit.self, name) })
        return field.checked { group, _ throws(Refusal) in
            let rate = group[keyPath: path]
            guard (0...1_000_000).contains(rate.limit) else {
                throw .invalidField("\(name).limit", "must be 0 to 1000000")
            }
            guard (1...longest).contains(rate.window) else {
                throw .invalidField("\(name).window", "must be 1 to \(longest) seconds")
            }
        }
    }

    package static func flag(
        _ name: String, _ path: any WritableKeyPath<Group, Bool> & Sendable, _ label: String, hint: String? = nil
    ) -> Self {
        Self(
            name, path, label, hint: hint, .flag, json: { .bool($0) },
            read: { members, _ in try members.value(Bool.self, name) })
    }

    /// One of the values of a type.
    ///
    /// - Parameter isRequired: Whether a request must name it.
    package static func choice<Value: RawRepresentable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Group, Value> & Sendable, _ label: String,
        _ words: KeyValuePairs<Value, String>, hint: String? = nil, isRequired: Bool = false
    ) -> Self where Value.RawValue == String {
        let known = words.map { SettingWord(value: $0.key.rawValue, label: $0.value) }
        return word(
            name, path, label, known.map(\.value).asAlternatives, .choice(known), hint: hint, isRequired: isRequired,
            text: { $0.rawValue }, value: { text in known.contains { $0.value == text } ? Value(rawValue: text) : nil })
    }

    /// A value that a text names.
    ///
    /// - Parameter value: Returns `nil` for a text that names none.
    package static func word<Value: Sendable>(
        _ name: String, _ path: any WritableKeyPath<Group, Value> & Sendable, _ label: String, _ range: String,
        _ control: SettingControl = .text(isRequired: false), hint: String? = nil, isRequired: Bool = false,
        text: @escaping @Sendable (Value) -> String, value: @escaping @Sendable (String) -> Value?
    ) -> Self {
        Self(
            name, path, label, hint: hint, control, range: range, json: { .string(text($0)) },
            read: { members, _ in
                guard let text = try members.value(String.self, name, isRequired: isRequired) else { return nil }
                guard let value = value(text) else { throw members.unknownWord(name, among: range) }
                return value
            })
    }

    package static func lines(
        _ name: String, _ path: any WritableKeyPath<Group, [String]> & Sendable, _ label: String, rule: String,
        hint: String? = nil, _ isValid: @escaping @Sendable (_ lines: [String], _ stored: [String]) -> Bool
    ) -> Self {
        let field = Self(
            name, path, label, hint: hint, .lines, range: rule, json: { .array($0.map(JSONValue.string)) },
            read: { members, _ in try members.value([String].self, name) })
        return field.checked { group, stored throws(Refusal) in
            guard isValid(group[keyPath: path], stored?[keyPath: path] ?? []) else {
                throw .invalidField(name, "must be \(rule)")
            }
        }
    }

    package static func text(
        _ name: String, _ path: any WritableKeyPath<Group, String> & Sendable, _ label: String, hint: String? = nil
    ) -> Self {
        Self(
            name, path, label, hint: hint, .text(isRequired: true), json: { .string($0) },
            read: { members, _ in try members.value(String.self, name) })
    }

    /// A text that may be missing.
    package static func text(
        _ name: String, _ path: any WritableKeyPath<Group, String?> & Sendable, _ label: String, _ range: String? = nil,
        hint: String? = nil
    ) -> Self {
        Self(
            name, path, label, hint: hint, .text(isRequired: false), range: range, json: { $0.map(JSONValue.string) },
            read: { members, _ in try members.value(String.self, name).map(Optional.some) })
    }

    /// A URL that the service calls.
    package static func url(
        _ name: String, _ path: any WritableKeyPath<Group, String> & Sendable, _ label: String, hint: String? = nil
    ) -> Self {
        var field = Self(
            name, path, label, hint: hint, .text(isRequired: false), range: "an https URL", json: { .string($0) },
            read: { members, _ in try members.value(String.self, name, isRequired: true) })
        field.calledURL = { (name, $0[keyPath: path]) }
        return field
    }

    /// Settings that are an object of their own.
    package static func group<Inner: Sendable>(
        _ name: String, _ path: any WritableKeyPath<Group, Inner> & Sendable, _ label: String, hint: String? = nil,
        _ fields: [SettingsField<Inner>]
    ) -> Self {
        let inner = SettingsSchema(name, [.init(nil, fields)])
        let field = Self(
            name, path, label, hint: hint, .group(parts(name, fields), isOptional: false), range: range(of: fields),
            json: { .object(inner.json($0)) },
            read: { members, empty in try members.nested(name).map { try inner.read($0, replacing: empty) } })
        return field.checked(isRelative: true) { group, stored throws(Refusal) in
            try inner.check(group[keyPath: path], replacing: stored?[keyPath: path], in: name)
        }
    }

    /// A group that may be missing. A request that leaves it out removes it.
    package static func optional<Inner: Sendable>(
        _ name: String, _ path: any WritableKeyPath<Group, Inner?> & Sendable,
        default empty: @escaping @Sendable () -> Inner, _ label: String, hint: String? = nil,
        _ fields: [SettingsField<Inner>]
    ) -> Self {
        let inner = SettingsSchema(name, [.init(nil, fields)])
        var field = Self(
            name, path, label, hint: hint, .group(parts(name, fields), isOptional: true), range: range(of: fields),
            json: { $0.map { .object(inner.json($0)) } },
            read: { members, _ in try members.nested(name).map { .some(try inner.read($0, replacing: empty())) } }
        ).checked { group, stored throws(Refusal) in
            guard let value = group[keyPath: path] else { return }
            try inner.check(value, replacing: stored?[keyPath: path] ?? nil, in: name)
        }
        field.calledURL = { group in
            group[keyPath: path].flatMap { value in fields.lazy.compactMap { $0.calledURL(value) }.first }
                .map { ("\(name).\($0.name)", $0.url) }
        }
        return field
    }

    private static func range<Inner>(of fields: [SettingsField<Inner>]) -> String {
        fields.map { field in field.name + (field.range.map { " \($0)" } ?? "") }.joined(separator: ", ")
    }

    private static func parts<Inner>(_ name: String, _ fields: [SettingsField<Inner>]) -> [SettingControl.Part] {
        fields.map { .init(name: "\(name).\($0.name)", label: $0.label, hint: $0.hint, control: $0.control) }
    }
}

extension SettingsSchema {
    fileprivate func read(_ members: SettingMembers, replacing group: Group) throws -> Group {
        var group = group
        _ = try read(members, into: &group)
        return group
    }

    /// Checks a group inside another one, whose name its own names follow.
    fileprivate func check(_ group: Group, replacing stored: Group?, in name: String) throws(Refusal) {
        do {
            try check(group, replacing: stored)
        } catch .invalidField(let field, let problem) {
            throw .invalidField("\(name).\(field)", problem)
        }
    }
}

extension JSONValue {
    /// Whether two values are written the same. Texts that are only canonically equivalent (UAX #15) are not: `==` would accept
    /// one of them for the other, unchecked and without an event.
    static func areIdentical(_ first: JSONValue?, _ second: JSONValue?) -> Bool {
        first == second && (try? TokenJSON.encode(first)) == (try? TokenJSON.encode(second))
    }
}

extension [String] {
    /// `a, b or c`.
    fileprivate var asAlternatives: String {
        count < 2 ? joined() : dropLast().joined(separator: ", ") + " or " + self[count - 1]
    }
}

/// How operators enter the value of a setting.
package indirect enum SettingControl: Sendable {
    case number(isRequired: Bool)
    /// A limit and a window.
    case rate
    case flag
    case text(isRequired: Bool)
    case lines
    case choice([SettingWord])
    /// An object. An optional one is there if its first part has a value.
    case group([Part], isOptional: Bool)

    package struct Part: Sendable {
        package let name: String
        package let label: String
        package let hint: String?
        package let control: SettingControl
    }
}
