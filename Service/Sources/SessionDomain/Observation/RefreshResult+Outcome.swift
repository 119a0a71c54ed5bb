extension RefreshResult {
    package init(_ outcome: RotationOutcome) {
        self =
            switch outcome {
            case .rotated: .rotated
            case .repeated: .repeated
            case .recovered: .recovered
            case .nonceDemanded: .nonceDemanded
            case .revoked(_, .refreshTokenReused): .reused
            case .revoked: .ended
            case .refused: .refused
            }
    }
}
