/// What a request is for. Under overload, those of the later classes are rejected first.
package enum RequestClass: String, Sendable, CaseIterable {
    /// Keeps or ends sessions, what backends need to verify tokens, and what operators need under overload.
    case session
    /// Signs users in.
    case login
    /// Other changes.
    case change
    /// Reads that can wait.
    case read
}
