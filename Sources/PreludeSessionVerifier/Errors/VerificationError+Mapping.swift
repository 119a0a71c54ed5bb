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

    init(_ error: DPoPError) {
        let reason: Reason =
            switch error {
            case .missing, .moreThanOne: .missingProof
            case .malformed, .wrongType, .unsupportedAlgorithm, .invalidSignature, .invalidKey: .invalidProof
            case .wrongMethod: .wrongMethod
            case .wrongTarget: .wrongTarget
            case .wrongAccessToken: .wrongAccessToken
            }
        self.init(reason)
    }

    /// A copy of the error with the scheme of the request and the accepted schemes.
    func with(schemes: AuthenticationSchemes) -> VerificationError {
        var error = self
        error.schemes = schemes
        return error
    }
}
