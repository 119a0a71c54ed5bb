import SessionDomain

/// Collects what is wrong with a configuration, so that an operator sees everything at once.
struct ConfigurationProblems {
    private(set) var errors: [ConfigurationError] = []

    mutating func add(_ errors: [ConfigurationError]) { self.errors += errors }

    /// Returns what `read` returns. If it throws or returns `nil`, returns the fallback.
    mutating func value<Value>(_ fallback: Value, _ read: () throws -> Value?) -> Value {
        do {
            return try read() ?? fallback
        } catch {
            add(error)
            return fallback
        }
    }

    /// Runs a check and adds its error.
    mutating func check(_ check: () throws -> Void) { value(()) { try check() } }

    /// Marks the errors that `checks` adds: they may pass without a change of the configuration.
    mutating func checkMachine(_ checks: (inout Self) -> Void) {
        let known = errors.count
        checks(&self)
        for index in errors.indices.dropFirst(known) { errors[index].mayPass = true }
    }

    func throwIfAny() throws {
        guard errors.isEmpty else { throw InvalidConfiguration(errors: errors) }
    }

    private mutating func add(_ error: any Error) {
        switch error {
        case let error as ConfigurationError: errors.append(error)
        case let error as InvalidConfiguration: errors += error.errors
        case Refusal.invalidField(let field, let problem): errors.append(ConfigurationError(field, problem))
        default: errors.append(ConfigurationError("configuration", "\(error)"))
        }
    }
}
