internal import SessionDomain

extension RotationRow {
    static let ofInactiveUsers: [RotationRow] = [
        RotationRow("an inactive user loses the session", .revoke(.userInactive)) { $0.status = .inactive },
        RotationRow("a suspended user loses the session", .revoke(.userInactive)) { $0.status = .suspended },
        RotationRow("the device of a suspended user learns why its session has ended", .refuse(.suspendedAccount)) {
            $0.status = .suspended
            $0.isRevoked = true
        },
        RotationRow("the device of an inactive user learns why its session has ended", .refuse(.inactiveUser)) {
            $0.status = .inactive
            $0.isRevoked = true
            $0.generation = 4
        },
        RotationRow("without its key a suspended user learns nothing", .unauthorized) {
            $0.status = .suspended
            $0.isRevoked = true
            $0.proofKey = nil
        },
        RotationRow("with another key a suspended user learns nothing", .unauthorized) {
            $0.status = .suspended
            $0.isRevoked = true
            $0.proofKey = "other"
        },
        RotationRow("with an old token a suspended user learns nothing", .unauthorized) {
            $0.status = .suspended
            $0.isRevoked = true
            $0.generation = 3
        },
        RotationRow("a suspended user learns nothing from an expired session", .unauthorized) {
            $0.status = .suspended
            $0.isExpired = true
        },
        RotationRow("without a pinned key a suspended user learns nothing", .unauthorized) {
            $0.status = .suspended
            $0.isRevoked = true
            $0.pinned = nil
        },
        RotationRow("a replayed proof of a suspended user is rejected", .refuse(.replayedProof)) {
            $0.status = .suspended
            $0.isRevoked = true
            $0.isReplay = true
        },
        RotationRow("a stale proof of a suspended user demands a nonce", .nonce) {
            $0.status = .suspended
            $0.isRevoked = true
            $0.isFresh = false
        },
    ]
}
