internal import SessionDomain

extension SendingFailure {
    /// The stage and the cleaned reason of a call that got no answer.
    init(_ error: EgressError, text: ReasonText) {
        let failure = SendingFailure(error)
        self.init(failure.stage, text.clean(failure.reason))
    }
}
