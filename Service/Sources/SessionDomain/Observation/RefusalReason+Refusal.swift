internal import SessionTokens

extension RefusalReason {
    /// The reason that an error itself contains.
    package init(_ refusal: Refusal) {
        self =
            switch refusal {
            case .missingProof: .proof(.missing)
            case .invalidProof(let error): .proof(Proof(error))
            case .proofForOtherTarget: .proof(.wrongTarget)
            case .replayedProof: .proof(.replayed)
            case .proofKeyMismatch: .proof(.otherKey)
            case .proofNotOfChallenge: .proof(.notOfChallenge)
            case .nonceRequired: .proof(.nonceRequired)
            case .badCode: .login(.wrongCode)
            case .verifierMismatch: .login(.wrongVerifier)
            case .inactiveUser: .login(.inactiveUser)
            case .invalidField: .other(.invalidField)
            case .invalidIdentifier: .other(.invalidIdentifier)
            case .invalidVerificationToken: .other(.invalidVerificationToken)
            case .invalidPassword: .other(.invalidNewPassword)
            case .passwordNotSet: .other(.passwordNotSet)
            case .noLoginConfig: .other(.noLoginConfig)
            case .invalidMetadata: .other(.invalidMetadata)
            case .invalidStepToken: .other(.invalidStepToken)
            case .invalidPaginationLimit, .invalidPaginationOffset: .other(.invalidPagination)
            case .unauthorized: .other(.unauthorized)
            case .spentCode: .other(.spentCode)
            case .missingChallenge: .other(.challengeMissing)
            case .invalidChallenge: .other(.challengeInvalid)
            case .expiredChallenge: .other(.challengeExpired)
            case .challengeReused: .other(.challengeReused)
            case .refreshTokenSpent: .other(.refreshTokenSpent)
            case .challengeMismatch: .other(.challengeMismatch)
            case .stepNotCompleted: .other(.stepNotCompleted)
            case .stepNotFound: .other(.stepNotFound)
            case .stepBypassed: .other(.stepBypassed)
            case .stepUpNotConfigured: .other(.stepUpNotConfigured)
            case .scopeNotAllowed: .other(.scopeNotAllowed)
            case .scopeIdentifierMismatch: .other(.scopeIdentifierMismatch)
            case .authBlocked: .other(.scopeDenied)
            case .sendDenied(let needsOtherType): .login(needsOtherType ? .otherChannel : .sendDenied)
            case .insufficientScope: .other(.insufficientScope)
            case .forbidden: .other(.forbidden)
            case .suspendedAccount: .other(.suspendedAccount)
            case .notFound: .other(.notFound)
            case .conflict: .other(.conflict)
            case .identifierTaken: .other(.identifierTaken)
            case .identifiersFull: .other(.identifiersFull)
            case .stepUpConfigExists: .other(.stepUpConfigExists)
            case .rateLimited: .other(.rateLimited)
            case .overloaded: .other(.overloaded)
            case .unavailable: .other(.unavailable)
            }
    }
}

extension RefusalReason.Proof {
    fileprivate init(_ error: DPoPError) {
        self =
            switch error {
            case .missing: .missing
            case .moreThanOne: .moreThanOne
            case .malformed: .malformed
            case .wrongType: .wrongType
            case .unsupportedAlgorithm: .unsupportedAlgorithm
            case .invalidSignature: .invalidSignature
            case .invalidKey: .invalidKey
            case .wrongMethod: .wrongMethod
            case .wrongTarget: .wrongTarget
            case .wrongAccessToken: .wrongAccessToken
            }
    }
}
