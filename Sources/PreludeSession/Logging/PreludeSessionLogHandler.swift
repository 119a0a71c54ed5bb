/// Takes what the SDK has to tell a log. Give a client one to see what it does; without one nothing is logged.
///
/// Called from many tasks at once, in the middle of what is told: write it down or hand it on, and return.
public protocol PreludeSessionLogHandler: Sendable {
    /// Takes one entry.
    func log(_ entry: PreludeSessionLogEntry)
}

/// How much an entry matters, the least first.
public enum PreludeSessionLogLevel: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// Each request and each decision.
    case debug
    /// What changes the session: signed in, refreshed, signed out.
    case info
    /// Something failed that is tried again or can be: no network, storage that refuses, a service that fails.
    case warning

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
