internal import Foundation
internal import SessionTokens

/// What the server decided about a scope.
public enum StepUpStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// Granted, at once or after the remaining steps.
    case `continue`
    /// The user must complete steps first.
    case underReview = "review"
    /// Denied. The challenge cannot continue.
    case blocked = "block"
}

/// One attempt to get a scope, in the state of the server's last response.
///
/// A challenge is a value: each response returns the next state. Several challenges may be open at once.
public struct StepUpChallenge: Sendable, Hashable {
    /// The server's decision when the scope was requested.
    public var status: StepUpStatus
    /// The server's id of the attempt, the same in all steps (claim `challenge_id`). Empty when blocked.
    public var challengeID: String
    /// The current step: `verify_sms`, `verify_email`, `verify_passkey` or a step of the app's own; `completed` after the last one (claim
    /// `current_step`). `nil` when blocked.
    public var currentStep: String?
    /// The requested scope.
    public var requestedScope: String

    /// What the SDK sends to the server; `nil` when blocked.
    let ticket: StepUpTicket?

    /// Creates a challenge, for previews and tests of views. Calls with it throw `.invalidChallengeToken`: only the service
    /// issues a challenge that can continue.
    ///
    /// - Parameters:
    ///   - scope: The requested scope.
    ///   - status: The server's decision.
    ///   - step: The current step, such as `verify_sms`; `nil` when blocked.
    ///   - id: The server's id of the attempt.
    public init(
        scope: String, status: StepUpStatus = .underReview, step: String? = "verify_sms", id: String = "chg_preview"
    ) {
        self.init(
            status: status, challengeID: status == .blocked ? "" : id, currentStep: status == .blocked ? nil : step,
            requestedScope: scope, ticket: nil)
    }

    init(
        status: StepUpStatus, challengeID: String, currentStep: String?, requestedScope: String, ticket: StepUpTicket?
    ) {
        self.status = status
        self.challengeID = challengeID
        self.currentStep = currentStep
        self.requestedScope = requestedScope
        self.ticket = ticket
    }

    static let completedStep = "completed"

    /// The step with a passkey.
    private static let passkeyStep = "verify_passkey"

    /// The steps with a code of the service.
    private static let codeSteps: Set<String> = ["verify_sms", "verify_email"]

    /// Whether all steps are completed. The next refresh then adds the scope to the access token.
    public var isCompleted: Bool { currentStep == Self.completedStep }

    /// Whether the current step is a code: send it with `sendStepUpOTP(_:)` and submit it with `submitStepUpOTP(_:code:)`.
    ///
    /// An open step that expects neither a code nor a passkey is the app's own: submit its proof with
    /// `continueStepUp(_:verificationToken:)`.
    public var expectsCode: Bool { currentStep.map(Self.codeSteps.contains) ?? false }

    /// Whether the current step is a passkey: complete it with `continueStepUpWithPasskey(_:)`.
    public var expectsPasskey: Bool { currentStep == Self.passkeyStep }
}

/// The secret part of a challenge: its token and the claims that the SDK uses.
struct StepUpTicket: Sendable, Hashable {
    let token: RedactedString
    /// `jti` of the token, and of the proof that is sent with it.
    let tokenID: String
    let expiresAt: Date
    /// The session that the token was issued to.
    let sessionID: String?
    /// The endpoint that issued the token, see `RecordStore.endpoint`.
    let endpoint: String
    /// What a passkey signs in the current step; `nil` if the step is another one.
    let passkeyRequest: PreludePasskeySignInRequest?

    func isExpired(at serverTime: Date) -> Bool { expiresAt <= serverTime }
}

extension StepUpChallenge {
    /// The claims of a challenge token. They are not verified here: the server verifies the token when it is sent back.
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

    /// Reads a challenge token; `nil` for an invalid one.
    ///
    /// - Parameters:
    ///   - scope: The requested scope, if the token does not contain it.
    ///   - sessionID: The session of the request, if the token does not contain it.
    ///   - passkeyRequest: What a passkey signs in the current step.
    init?(
        token: String, status: StepUpStatus, scope: String, sessionID: String?, endpoint: String,
        passkeyRequest: PreludePasskeySignInRequest? = nil
    ) {
        guard let claims = try? JWT.unverifiedClaims(of: token, as: Claims.self) else { return nil }
        self.status = status
        challengeID = claims.challengeID
        currentStep = claims.currentStep
        requestedScope = claims.scope ?? scope
        ticket = StepUpTicket(
            token: RedactedString(token), tokenID: claims.jti, expiresAt: Date(timeIntervalSince1970: claims.exp),
            sessionID: claims.sessionID ?? sessionID, endpoint: endpoint, passkeyRequest: passkeyRequest)
    }

    /// The challenge of a denied scope.
    static func blocked(scope: String) -> StepUpChallenge {
        StepUpChallenge(status: .blocked, challengeID: "", currentStep: nil, requestedScope: scope, ticket: nil)
    }

    /// The ticket of a challenge that can continue.
    ///
    /// - Throws: `.invalidChallengeToken` for a denied scope.
    func sendableTicket() throws -> StepUpTicket {
        guard let ticket, status != .blocked else {
            throw PreludeSessionError.invalidChallengeToken(
                status == .blocked
                    ? "the scope was denied; the challenge cannot continue"
                    : "the service has not issued this challenge")
        }
        return ticket
    }
}

extension StepUpChallenge: CustomStringConvertible, CustomReflectable {
    /// Does not contain the token.
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
