/// The API that a listener serves. Health checks are answered by all.
package enum ServedAPI: Sendable {
    case all
    /// The calls of apps, and the mailbox of development mode.
    case frontend
    case management
}
