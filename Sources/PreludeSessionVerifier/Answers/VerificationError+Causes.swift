internal import SessionTokens

extension VerificationError {
    init(_ error: JWSError) {
        let reason: Reason =
            switch error {
            case .malformed, .criticalExtension, .invalidClaims: .malformed
            case .unsupportedAlgorithm: .unsupportedAlgorithm
            case .wrongType: .wrongType
            case .unknownKey: .unknownKey
            case .invalidSignature: .invalidSignature
            }
        self.init(reason)
    }

    /// The same, for a caller who authenticated in this way.
    func under(_ schemes: AuthenticationSchemes) -> VerificationError {
        var error = self
        error.schemes = schemes
        return error
    }
}
