import PreludeSession

/// The message for the user. The texts of the errors themselves are for your log.
func words(for error: any Error) -> String {
    switch error {
    case PreludeSessionError.invalidOTPCode:
        return "That is not the code. Try again."
    case PreludeSessionError.rateLimited:
        guard let seconds = (error as? PreludeSessionError)?.retryAfter else { return "Try again later." }
        return "Those were too many tries. Try again in \(Int(seconds)) seconds."
    case PreludeSessionError.network, PreludeSessionError.timeout:
        return "There is no answer. Try again later."
    default:
        return "That did not work. Try again later."
    }
}
