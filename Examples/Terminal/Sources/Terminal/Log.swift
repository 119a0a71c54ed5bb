import PreludeSession

/// Writes down what the SDK does, a line each. The entries hold no secret, and identifiers are redacted.
struct Log: PreludeSessionLogHandler {
    let write: @Sendable (_ line: String) -> Void

    func log(_ entry: PreludeSessionLogEntry) { write("\(entry.level): \(entry)") }
}
