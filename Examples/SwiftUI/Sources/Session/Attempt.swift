import Observation
import PreludeSession

/// An action of a view. Only one runs at a time. Has the message and the state to show.
@MainActor @Observable
final class Attempt {
    /// The error message, or `nil`.
    private(set) var message: String?
    /// Whether the service did not answer. The session is kept, and the shown data may be old.
    private(set) var isOffline = false
    /// Whether the action is running.
    private(set) var isRunning = false

    /// - Parameter unauthorized: The message for `.unauthorized`. It is about the session, except in a login.
    func callAsFunction(
        unauthorized: String = "Sign in to continue.", _ work: @MainActor () async throws -> Void
    ) async {
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        message = nil
        do {
            try await work()
            isOffline = false
        } catch is CancellationError {
            // The view has gone, or the user has changed their mind.
        } catch {
            (message, isOffline) = Self.read(error, unauthorized: unauthorized)
        }
    }

    /// Returns the SDK's message in the language of the app. The texts of the errors themselves are for a log.
    private static func read(_ error: any Error, unauthorized: String) -> (message: String, isOffline: Bool) {
        guard let error = error as? PreludeSessionError else { return (otherError, false) }
        switch error {
        case .network, .timeout: return (error.message.text(), true)
        case .unauthorized where !error.needsNewCode: return (unauthorized, false)
        default: return (error.message.text(), false)
        }
    }

    private static let otherError = "That failed. Try again later."
}
