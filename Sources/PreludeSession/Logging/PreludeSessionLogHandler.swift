/// Receives the log entries of the SDK. A client without a handler logs nothing.
///
/// The SDK calls it from many tasks at once and waits for it, so it should return quickly.
public protocol PreludeSessionLogHandler: Sendable {
    /// Receives one entry.
    func log(_ entry: PreludeSessionLogEntry)
}

/// The severity of a log entry, lowest first.
public enum PreludeSessionLogLevel: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// Requests and decisions.
    case debug
    /// Changes of the session: signed in, refreshed, signed out.
    case info
    /// Failures that are retried or can be: no network, a failing credential store, a failing service.
    case warning

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
