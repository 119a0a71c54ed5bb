extension SessionUIText {
    /// The texts of the views, in English. Each is a key of the String Catalogue, so a missing translation shows
    /// English.
    enum Key: String, Sendable, CaseIterable {
        // Codes.
        case enterCode = "Enter the code"
        case code = "Code"
        case codeSentTo = "We sent a code to %@."
        case codeSentByEmail = "We sent a code to your e-mail address."
        case codeSentBySMS = "We sent a code to your phone."
        case newCodeSent = "A new code is on its way."
        case sendNewCode = "Send a new code"
        case newCodeIn = "You can request a new code in %lld seconds."
        case `continue` = "Continue"
        case startAgain = "Start again"
        case signInExpired = "This sign-in has expired. Start again."

        // Passwords.
        case newPassword = "New password"
        case showPassword = "Show password"
        case savePassword = "Save password"
        case passwordChanged = "Your password was changed."
        case minimumLength = "At least %lld characters"
        case maximumLength = "At most %lld characters"
        case minimumUppercase = "At least %lld uppercase letters"
        case minimumLowercase = "At least %lld lowercase letters"
        case minimumNumbers = "At least %lld digits"
        case minimumSymbols = "At least %lld symbols"
        case met = "Met"
        case notMet = "Not met"

        // Sessions.
        case devices = "Your devices"
        case thisDevice = "This device"
        case unknownDevice = "Unknown device"
        case lastUsed = "Last used %@"
        case signOut = "Sign out"
        case signOutOthers = "Sign out all other devices"
        case askSignOutOthers = "Sign out all other devices?"
        case askSignOut = "Sign out %@?"
        case mustSignInAgain = "You must sign in there again."
        case showMore = "Show more"

        // Step-ups.
        case confirmIdentity = "Confirm that it is you"

        // All views.
        case cancel = "Cancel"
        case tryAgain = "Try again"
        case pleaseWait = "Please wait"
    }
}
