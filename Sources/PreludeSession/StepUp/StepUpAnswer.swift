/// What the user answers when asked for a code, see `PreludeSessionClient.stepUp(scope:metadata:isolation:answer:ownStep:)`.
public enum StepUpAnswer: Sendable, Hashable {
    /// The code, as the user typed it.
    case code(String)
    /// Send the code again, or a new one.
    case resend
}
