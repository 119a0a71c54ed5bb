extension StepUpModel {
    /// How the code of a step is sent.
    public enum Channel: Sendable, Hashable {
        /// To the user's phone number.
        case sms
        /// To the user's e-mail address.
        case email

        init(step: String?) { self = step == "verify_sms" ? .sms : .email }

        /// Says where the code was sent.
        public var text: SessionUIText { SessionUIText(self == .sms ? .codeSentBySMS : .codeSentByEmail) }
    }
}
