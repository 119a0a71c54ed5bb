import PreludeSession

/// Returns the message for an error after which the user can type another code.
///
/// - Throws: The error itself, if it ends the login.
func messageBeforeNextCode(for error: any Error) throws -> String {
    switch error {
    case let error as PreludeSessionError where error.needsNewCode:
        return "No code that was sent can be used any more. Enter nothing for another one."
    case PreludeSessionError.invalidOTPCode: return "The code is wrong. Try again."
    case PreludeSessionError.rateLimited, PreludeSessionError.network, PreludeSessionError.timeout:
        return message(for: error)
    default: throw error
    }
}

/// Returns the message that the app shows for an error.
///
/// Errors that the user can fix have their own message. The texts of the errors themselves are for a log, except for an
/// invalid setting and a file that cannot be used: the user of this app has made the setting and owns the file.
func message(for error: any Error) -> String {
    switch error {
    case let error as Usage: return error.description
    case is EndOfInput: return "The input has ended."
    case is UnknownStep: return "This version of the app does not support that. Update it and try again."
    case is InvalidAddress: return "No code can be sent to this address. Check the address."
    case PreludeSessionError.invalidConfiguration(let text): return "A setting is invalid: \(text)"
    case PreludeSessionError.unauthorized, PreludeSessionError.deviceKeyLost:
        return "You are not signed in. Sign in with: Terminal login EMAIL"
    case PreludeSessionError.network, PreludeSessionError.timeout:
        return "The service does not answer. Try again later. You stay signed in if you were signed in."
    case PreludeSessionError.storageUnavailable(let text): return "The session cannot be read or stored: \(text)"
    case PreludeSessionError.rateLimited:
        guard let seconds = (error as? PreludeSessionError)?.retryAfter else {
            return "Too many tries. Try again later."
        }
        return "Too many tries. Try again in \(Int(seconds)) seconds."
    case PreludeSessionError.forbidden: return "You are not allowed to do that."
    default: return "That failed. Try again later. Set EXAMPLE_LOG=1 to see the cause."
    }
}
