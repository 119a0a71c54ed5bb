internal import SessionDomain

extension SendingFailure {
    /// The stage and the cleaned reason of a call that got no answer.
    init(_ error: EgressError, text: ReasonText, finding: Finding? = nil) {
        let failure = SendingFailure(error)
        self.init(failure.stage, text.clean(failure.reason), finding: finding)
    }
}
