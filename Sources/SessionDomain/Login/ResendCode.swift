/// The intent to send another code for a running verification. A store reads the row, asks `decide`, and stores what it
/// gets, in one transaction.
package struct ResendCode: Sendable {
    package let appID: AppID
    package let tokenHash: String
    package let limits: OTPLimits
    package let newCodeHash: String
    package let now: Timestamp

    package init(appID: AppID, tokenHash: String, limits: OTPLimits, newCodeHash: String, now: Timestamp) {
        self.appID = appID
        self.tokenHash = tokenHash
        self.limits = limits
        self.newCodeHash = newCodeHash
        self.now = now
    }

    /// - Parameter current: The verification, if there is one with this token in this app.
    package func decide(_ current: Verification?) -> ResendDecision {
        guard let current, current.appID == appID, current.codeExpiresAt > now else { return .unknown }
        guard current.sends < limits.sendsPerVerification else { return .limited(until: current.codeExpiresAt) }
        let earliest = current.lastSentAt + limits.resendDelay
        guard earliest <= now else { return .limited(until: earliest) }
        var next = current
        next.codeHash = newCodeHash
        next.codeExpiresAt = now + limits.codeLifetime
        next.checks = 0
        next.sends += 1
        next.lastSentAt = now
        return .send(next)
    }
}

package enum ResendDecision: Sendable, Equatable {
    /// Store this verification; its old code is dead.
    case send(Verification)
    case limited(until: Timestamp)
    case unknown
}
