/// Reads running logins.
package protocol LoginStore: IntentStore {
    /// The verification behind a token.
    func verification(tokenHash: String, app: AppID) async throws -> Verification?
}
