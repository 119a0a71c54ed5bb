/// What a change of one user results in.
package enum UpdateUserOutcome: Sendable, Equatable {
    case updated(User)
    /// Another user of the app has the identifier or the external id.
    case taken
    /// The user has as many as a user can have.
    case full
    case notFound
}
