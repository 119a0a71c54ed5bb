import PreludeSession

/// The message for the user, in the language of the app. The texts of the errors themselves are for your log.
func words(for error: any Error) -> String {
    guard let error = error as? PreludeSessionError else { return "That did not work. Try again later." }
    return error.message.text()
}
