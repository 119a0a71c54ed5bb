import Observation
import PreludeSession

/// Something that a view is trying: one at a time, and what to show of it.
@MainActor @Observable
final class Attempt {
    /// What went wrong; `nil` while nothing has.
    private(set) var message: String?
    /// Whether there was no answer: the session is kept, and what is shown may be old.
    private(set) var isOffline = false
    /// Whether it is under way.
    private(set) var isRunning = false

    /// - Parameter unauthorized: What to say of `.unauthorized`, which is about the session, unless this is a login.
    func callAsFunction(
        unauthorized: String = "Please sign in.", _ work: @MainActor () async throws -> Void
    ) async {
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        message = nil
        do {
            try await work()
            isOffline = false
        } catch {
            (message, isOffline) = Self.read(error, unauthorized: unauthorized)
        }
    }

    /// The app's own words, for the few cases in which a person can do something. The errors' own texts are for a log.
    private static func read(_ error: any Error, unauthorized: String) -> (message: String, isOffline: Bool) {
        guard let error = error as? PreludeSessionError else { return (somethingElse, false) }
        switch error {
        case .network, .timeout: return ("There is no answer. Try again later.", true)
        case .invalidOTPCode: return ("That is not the code. Try again.", false)
        case .unauthorized: return (unauthorized, false)
        case .invalidPassword: return ("The password does not meet the rules.", false)
        case .rateLimited:
            let seconds = error.retryAfter.map { " in \(Int($0)) seconds" } ?? " later"
            return ("Too many tries. Try again\(seconds).", false)
        case .storageUnavailable: return ("Unlock the device and try again.", false)
        case .forbidden: return ("This is not possible now.", false)
        default: return (somethingElse, false)
        }
    }

    private static let somethingElse = "That did not work. Try again later."
}
