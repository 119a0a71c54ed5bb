/// A setting is invalid or cannot be used.
struct ConfigurationError: Error, CustomStringConvertible {
    /// The name of the setting, as its source writes it.
    let setting: String
    /// What is wrong, and what to do.
    let problem: String
    /// The file and the line of the setting. `nil` for a flag, a variable and a missing setting.
    let place: String?
    /// Whether the same configuration may be right later: the cause is a file, a name or an address of the machine.
    var mayPass = false

    /// Control characters are escaped, because names and paths come from outside, and errors go to terminals and logs.
    init(_ setting: String, _ problem: String, at place: String? = nil) {
        self.setting = setting.prefix(100).description.escapedForTerminal
        self.problem = problem.escapedForTerminal
        self.place = place?.escapedForTerminal
    }

    var description: String { (place.map { "\($0): " } ?? "") + "\(setting): \(problem)" }
}

/// Everything that is wrong with a configuration.
struct InvalidConfiguration: Error, CustomStringConvertible {
    let errors: [ConfigurationError]

    /// Whether the same configuration may be right later.
    var mayPass: Bool { errors.allSatisfy(\.mayPass) }

    var description: String {
        guard errors.count > 1 else { return errors.first?.description ?? "the configuration is invalid" }
        return "the configuration has \(errors.count) errors:\n" + errors.map { "  \($0)\n" }.joined().dropLast()
    }
}
