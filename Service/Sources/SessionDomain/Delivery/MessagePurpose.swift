/// Why a message is sent. Each purpose has templates of its own.
package enum MessagePurpose: String, Sendable, Codable, CaseIterable {
    case signIn = "sign_in"
    case stepUp = "step_up"
    /// A code to an identifier that the user wants to add.
    case newIdentifier = "new_identifier"
    /// Tells the user about a change of the account.
    case notice
}
