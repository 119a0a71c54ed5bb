import PreludeSession

/// Writes one line per log entry of the SDK. The entries contain no secret, and identifiers are redacted.
struct Log: PreludeSessionLogHandler {
    let write: @Sendable (_ line: String) -> Void

    func log(_ entry: PreludeSessionLogEntry) { write("\(entry.level): \(entry)") }
}
