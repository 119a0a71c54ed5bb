/// What logins write; each call is one transaction, described at its intent.
package protocol LoginStore: Sendable {
    func startVerification(_ intent: StartVerification) async throws -> StartVerificationOutcome
    func resendCode(_ intent: ResendCode) async throws -> ResendDecision
    func checkCode(_ intent: CheckCode) async throws -> CheckCodeOutcome
    /// The running verification behind a token, for reading only.
    func verification(tokenHash: String, app: AppID) async throws -> Verification?
    func beginPasswordTry(_ intent: BeginPasswordTry) async throws -> BeginPasswordTryOutcome
    /// A success clears the count of tries.
    func clearCounter(_ key: CounterKey, app: AppID) async throws
}
