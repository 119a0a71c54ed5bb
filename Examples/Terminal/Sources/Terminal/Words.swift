import PreludeSession

/// What went wrong, in the app's own words: the few cases in which a person can do something, and one for all others. The
/// errors' own texts are for a log, but for a setting that cannot work: whoever reads it here has made it.
func words(for error: any Error) -> String {
    switch error {
    case let error as Usage: return error.description
    case is EndOfInput: return "There is no more input."
    case is UnknownStep: return "This app is too old for that. Update it, and try again."
    case is RefusedAddress: return "No code can be sent to that address. Check it."
    case PreludeSessionError.invalidConfiguration(let text): return "A setting cannot work: \(text)"
    case PreludeSessionError.unauthorized, PreludeSessionError.deviceKeyLost:
        return "Nobody is signed in. Sign in with: Terminal login EMAIL"
    case PreludeSessionError.network, PreludeSessionError.timeout:
        return "There is no answer. Try again later; a session is kept."
    case PreludeSessionError.storageUnavailable:
        return "The session cannot be read or written now. Unlock the device, and try again."
    case PreludeSessionError.rateLimited:
        guard let seconds = (error as? PreludeSessionError)?.retryAfter else {
            return "Those were too many tries. Try again later."
        }
        return "Those were too many tries. Try again in \(Int(seconds)) seconds."
    case PreludeSessionError.forbidden: return "You may not do that."
    default: return "That did not work. Try again later; EXAMPLE_LOG=1 shows what happens."
    }
}
