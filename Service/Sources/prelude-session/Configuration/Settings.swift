import Foundation
import SessionDomain

/// Reads typed settings from flags, environment and file. A value of the wrong type is an error, and the default is not
/// used.
struct Settings: Sendable {
    typealias Key = ServiceConfiguration.Key

    /// Where a setting comes from.
    enum Source: Sendable {
        case flag, environment
        /// - Parameter path: The settings file.
        case file(_ path: String)
        /// No source sets it: the default is used.
        case `default`
    }

    private struct Layer: Sendable {
        let source: Source
        let values: [Key: SettingsFile.Value]
        var lines: [Key: Int] = [:]
    }

    /// In order of precedence, the strongest first.
    private var layers: [Layer]
    /// Whether the settings file could be read. If not, what it sets seems to be missing.
    private(set) var hasReadFile = true
    /// The path and the permission bits of the settings file.
    private(set) var file: (path: String, permissions: Int)?
    let openTelemetry: OpenTelemetryVariables

    /// - Parameters:
    ///   - file: The path of the settings file, if there is one.
    ///   - problems: Gets an error for each unknown variable, and for each part of the file that cannot be read.
    init(
        flags: [Key: String], environment: [String: String], file: String?, problems: inout ConfigurationProblems
    ) {
        openTelemetry = OpenTelemetryVariables(environment)
        let links = ServiceLinks(in: environment)
        let variables = Key.allCases.filter { !links.names.contains($0.variable) }.compactMap { key in
            environment[key.variable].map { (key, SettingsFile.Value.text($0)) }
        }
        layers = [
            Layer(source: .flag, values: flags.mapValues { .text($0) }),
            Layer(source: .environment, values: Dictionary(uniqueKeysWithValues: variables)),
        ]
        problems.add(EnvironmentVariables.errors(in: environment))
        guard let file else { return }
        guard let content = problems.value(nil, { try Self.content(of: file) }) else {
            hasReadFile = false
            return
        }
        self.file = (file, content.permissions)
        layers.append(Self.layer(of: content.members, in: file, problems: &problems))
    }

    private static func layer(
        of members: [SettingsFile.Member], in path: String, problems: inout ConfigurationProblems
    ) -> Layer {
        var values: [Key: SettingsFile.Value] = [:]
        var lines: [Key: Int] = [:]
        for member in members {
            let place = "\(path):\(member.line)"
            guard let key = Key(rawValue: member.name) else {
                let remedy =
                    NearestName.of(member.name, in: Key.allCases.map(\.rawValue)).map { "Did you mean \($0)?" }
                    ?? "Remove it"
                problems.add([ConfigurationError(member.name, "is an unknown setting. \(remedy)", at: place)])
                continue
            }
            if let line = lines[key] {
                problems.add([ConfigurationError(key.rawValue, "is also in line \(line). Remove one", at: place)])
            } else if member.value.hasNull {
                problems.add([ConfigurationError(key.rawValue, "must not contain U+0000", at: place)])
            } else if !key.allows(member.value) {
                let kinds = "must be a string, a number, true or false" + (key.isList ? ", or a list of strings" : "")
                problems.add([ConfigurationError(key.rawValue, kinds, at: place)])
            } else {
                values[key] = member.value
            }
            // The first one is the value, so that its errors are reported with its line.
            lines[key] = lines[key] ?? member.line
        }
        return Layer(source: .file(path), values: values, lines: lines)
    }

    private static func content(of path: String) throws -> (members: [SettingsFile.Member], permissions: Int) {
        let file: (content: Data, permissions: Int)
        do {
            file = try ReadableFile(path: path).read()
        } catch {
            var failure = ConfigurationError(
                "config", error.problem(of: path, ifMissing: "`prelude-session init` writes a settings file"))
            failure.mayPass = true
            throw failure
        }
        guard let text = String(textFile: file.content) else {
            throw ConfigurationError("config", "\(path) is not UTF-8. Save it with this encoding")
        }
        do {
            return (try SettingsFile(text).members, file.permissions)
        } catch {
            throw ConfigurationError("config", "\(error.problem)", at: "\(path):\(error.line)")
        }
    }

    /// The settings file as it is. `nil` without one.
    func fileContent() throws -> Data? { try file.map { try ReadableFile(path: $0.path).read().content } }

    func source(of key: Key) -> Source { layer(of: key)?.source ?? .default }

    /// Whether both are set, and the first one in a stronger source.
    func overrides(_ key: Key, _ other: Key) -> Bool {
        let (first, second) = (
            layers.firstIndex { $0.values[key] != nil }, layers.firstIndex { $0.values[other] != nil }
        )
        guard let first, let second else { return false }
        return first < second
    }

    /// Whether the settings file itself contains a secret that is used.
    var fileHasSecrets: Bool {
        Key.allCases.contains { key in
            if case .file = source(of: key) { key.isSecret } else { false }
        }
    }

    private func layer(of key: Key) -> Layer? { layers.first { $0.values[key] != nil } }

    /// An error about a setting, with the name and the place that its source gives to it.
    func error(_ key: Key, _ problem: String) -> ConfigurationError {
        let missing = ConfigurationError(key.hasFlag ? key.flag : key.rawValue, problem)
        guard let layer = layer(of: key) else { return missing }
        return switch layer.source {
        case .flag: ConfigurationError("--\(key.flag)", problem)
        case .environment: ConfigurationError(key.variable, problem)
        case .file(let path):
            ConfigurationError(key.rawValue, problem, at: layer.lines[key].map { "\(path):\($0)" } ?? path)
        case .default: missing
        }
    }

    /// An error about a setting without a value, which another one needs. It has the place of the other one.
    func error(missing name: String, beside other: Key, _ problem: String) -> ConfigurationError {
        ConfigurationError(self.name(of: name, beside: other), problem, at: error(other, problem).place)
    }

    /// The name of a setting as the source of another setting writes it.
    ///
    /// - Parameter name: The name in the file.
    func name(of name: String, beside other: Key) -> String {
        guard case .environment = source(of: other), let key = Key(rawValue: name) else { return name }
        return key.variable
    }

    func string(_ key: Key) -> String? {
        switch layer(of: key)?.values[key] {
        case .text(let text): text
        case .list(let items): items.joined(separator: ",")
        case .other, nil: nil
        }
    }

    /// The text, or the default.
    func text(_ key: Key) -> String { string(key) ?? key.definition.standard ?? "" }

    /// The number, or the default if there is one.
    func number(_ key: Key) throws -> Int? {
        guard case .number(let range, _) = key.definition.values, let text = string(key) else {
            return key.definition.number
        }
        guard let number = Int(text), range.contains(number) else {
            throw error(key, "must be a number from \(range.lowerBound) to \(range.upperBound), not \(quoted(text))")
        }
        return number
    }

    func flag(_ key: Key) throws -> Bool {
        switch string(key)?.lowercased() {
        case nil, "false", "0", "no": return false
        case "true", "1", "yes": return true
        case let text?: throw error(key, "must be true or false, not \(quoted(text))")
        }
    }

    /// One of the words of a setting, or its default. `nil`: the setting has no words.
    func word<Word: RawRepresentable>(_ key: Key) throws -> Word? where Word.RawValue == String {
        guard case .words(let words, _) = key.definition.values else { return nil }
        guard let word = Word(rawValue: text(key)) else {
            throw error(key, "must be \(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")")
        }
        return word
    }

    /// - Throws: `InvalidConfiguration` with an error for each invalid network.
    func networks(_ key: Key) throws -> [IPNetwork] {
        var invalid: [ConfigurationError] = []
        let networks = list(key).compactMap { text in
            let network = IPNetwork(text)
            if network == nil {
                invalid.append(error(key, "\(quoted(text)) is not an address or a network, such as 10.0.0.0/8"))
            }
            return network
        }
        guard invalid.isEmpty else { throw InvalidConfiguration(errors: invalid) }
        return networks
    }

    /// Whether the file that one setting names has the secret, and not the setting itself. The stronger source decides.
    ///
    /// - Throws: `ConfigurationError` if one source names both.
    func prefers(_ fileKey: Key, to key: Key) throws -> Bool {
        guard string(fileKey) != nil, !overrides(key, fileKey) else { return false }
        // An empty variable is one that is not set, for `docker compose` and others.
        guard string(key) ?? "" == "" || overrides(fileKey, key) else {
            throw error(fileKey, "is set, and \(name(of: key.rawValue, beside: fileKey)), too. Remove one of them")
        }
        return true
    }

    /// The secret of the file that a setting names, without the end of its last line.
    ///
    /// - Parameter lines: How many lines it may have.
    func content(of key: Key, lines: Int = 1) throws -> String? {
        guard let path = string(key) else { return nil }
        let content: Data
        do {
            content = try ReadableFile(path: path).read().content
        } catch {
            var failure = self.error(key, error.problem(of: path, ifMissing: "Create it, or remove the setting"))
            failure.mayPass = true
            throw failure
        }
        guard let text = String(textFile: content) else {
            throw error(key, "\(path) is not UTF-8. Save it with this encoding")
        }
        let secret = text.trimmingCharacters(in: .newlines)
        guard !secret.isEmpty else {
            throw error(key, "\(path) is empty. Write the secret into it, or remove the setting")
        }
        guard secret.utf8.count <= RouteSecret.maximumBytes * lines, !secret.utf8.contains(0),
            secret.split(whereSeparator: \.isNewline).count <= lines
        else { throw error(key, "\(path) must have \(lines == 1 ? "one line" : "at most \(lines) lines") of text") }
        return secret
    }

    /// Reads a list: of the file an array, or a text with commas.
    func list(_ key: Key) -> [String] {
        switch layer(of: key)?.values[key] {
        case .text(let text): Self.items(of: text)
        case .list(let items): Self.trimmed(items)
        case .other, nil: []
        }
    }

    /// The items of a list in one text.
    static func items(of text: String) -> [String] { trimmed(text.split(separator: ",").map(String.init)) }

    private static func trimmed(_ items: [String]) -> [String] {
        items.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// A value for a message: on one line, and not longer than it.
    private func quoted(_ text: String) -> String { "\"\(text.prefix(100).description.escapedForTerminal)\"" }
}

extension SettingsFile.Value {
    /// Whether a text contains what ends a text of the system.
    fileprivate var hasNull: Bool {
        switch self {
        case .text(let text): text.utf8.contains(0)
        case .list(let items): items.contains { $0.utf8.contains(0) }
        case .other: false
        }
    }
}

extension ServiceConfiguration.Key {
    fileprivate func allows(_ value: SettingsFile.Value) -> Bool {
        switch value {
        case .text: true
        case .list: isList
        case .other: false
        }
    }
}
