internal import SessionDomain

extension SendingFailure {
    /// The stage and the reason of a call that got no answer.
    init(_ error: EgressError, text: ReasonText) {
        switch error {
        case .cannotResolve(let reason): self.init(.nameResolution, text.clean(reason))
        case .refusedAddress, .refusedURL: self.init(.addressRules, text.clean(error.summary))
        case .timedOut: self.init(.timeout, "no answer in time")
        case .answerTooLarge: self.init(.response, "the answer is too large")
        case .connectionFailed(let reason):
            self.init(reason.contains("certificate") || reason.contains("TLS") ? .tls : .connection, text.clean(reason))
        }
    }
}
