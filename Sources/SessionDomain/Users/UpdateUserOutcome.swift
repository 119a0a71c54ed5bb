/// The outcome of a change of one user.
package enum UpdateUserOutcome: Sendable, Equatable {
    case updated(User)
    /// Another user of the app has the identifier or the external id.
    case taken
    /// The user has the maximum number.
    case full
    case notFound
}
