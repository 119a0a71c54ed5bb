internal import Foundation
internal import SessionTokens

/// What the server decided about a scope.
public enum StepUpStatus: String, Sendable, Hashable, CaseIterable {
    /// Granted, or to be granted after the steps, if there are any.
    case `continue`
    /// Steps are to be done first.
    case underReview = "review"
    /// Denied; there is nothing to be done with the challenge.
    case blocked = "block"
}

/// One attempt to get a scope, as it stood when the server last answered. A value: each flow holds its own, and several
/// may be open at once.
public struct StepUpChallenge: Sendable, Hashable {
    /// What the server decided when the scope was asked for.
    public let status: StepUpStatus
    /// The server's name for the attempt, the same over all its steps (claim `challenge_id`); empty when blocked.
    public let challengeID: String
    /// The step to be done now, such as `verify_sms`, `verify_email` or a key of the app's own; `completed` after the
    /// last (claim `current_step`). `nil` when blocked.
    public let currentStep: String?
    /// The scope that was asked for.
    public let requestedScope: String

    /// What goes back to the server; `nil` when blocked.
    let ticket: StepUpTicket?

    static let completedStep = "completed"

    /// The steps that are codes of the service.
    private static let codeSteps: Set<String> = ["verify_sms", "verify_email"]

    /// Whether all steps are done, so that a refresh brings the scope; `false` when blocked.
    public var isCompleted: Bool { ticket != nil && currentStep == Self.completedStep }

    /// Whether the step to be done now is a code: `sendStepUpOTP(_:)` sends it, and `submitStepUpOTP(_:code:)` hands it in.
    /// Every other step before the last is the app's own, and `continueStepUp(_:verificationToken:)` hands in its proof.
    public var expectsCode: Bool { currentStep.map(Self.codeSteps.contains) ?? false }
}

/// The secret half of a challenge: its token, and what the token says of itself.
struct StepUpTicket: Sendable, Hashable {
    let token: RedactedString
    /// `jti`: the token's name, and that of the proof that goes along with it.
    let tokenID: String
    let expiresAt: Date
    /// The session it was issued to.
    let sessionID: String?
    /// The endpoint it came from, by the name of its records.
    let endpoint: String

    /// Whether its time is up, by the server's clock.
    func isExpired(at serverTime: Date) -> Bool { expiresAt <= serverTime }
}

extension StepUpChallenge {
    /// The claims of a challenge token. Not verified here: the server does that when it gets the token back.
    private struct Claims: Decodable {
        let jti: String
        let exp: Double
        let challengeID: String
        let currentStep: String
        let scope: String?
        let sessionID: String?

        private enum CodingKeys: String, CodingKey {
            case jti, exp
            case challengeID = "challenge_id"
            case currentStep = "current_step"
            case scope = "scope_requested"
            case sessionID = "sid"
        }
    }

    /// Reads a challenge token; `nil` for what is none.
    ///
    /// - Parameters:
    ///   - scope: The scope that was asked for, where the token does not say.
    ///   - sessionID: The session that asked, where the token does not say.
    init?(token: String, status: StepUpStatus, scope: String, sessionID: String?, endpoint: String) {
        guard let claims = try? JWT.unverifiedClaims(of: token, as: Claims.self) else { return nil }
        self.status = status
        challengeID = claims.challengeID
        currentStep = claims.currentStep
        requestedScope = claims.scope ?? scope
        ticket = StepUpTicket(
            token: RedactedString(token), tokenID: claims.jti, expiresAt: Date(timeIntervalSince1970: claims.exp),
            sessionID: claims.sessionID ?? sessionID, endpoint: endpoint)
    }

    /// A scope that was denied.
    static func blocked(scope: String) -> StepUpChallenge {
        StepUpChallenge(status: .blocked, challengeID: "", currentStep: nil, requestedScope: scope, ticket: nil)
    }
}

extension StepUpChallenge: CustomStringConvertible, CustomReflectable {
    /// Without the token.
    public var description: String {
        "StepUpChallenge(\(challengeID), \(requestedScope), \(status.rawValue), \(currentStep ?? "no step"))"
    }

    /// The public properties only.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "status": status, "challengeID": challengeID, "currentStep": currentStep as Any,
                "requestedScope": requestedScope,
            ])
    }
}
