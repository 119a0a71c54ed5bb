internal import Foundation
internal import SessionRSA
internal import SessionTokens

/// Sends a signed POST to an operator's backend. The signature is RSASSA-PSS with SHA-256 over the raw body.
struct HookCall: Sendable {
    let egress: any Egress
    let keys: HookKeys

    static let signatureHeader = "X-Webhook-Signature"
    static let keyIDHeader = "X-Webhook-Signature-Key-Id"

    /// - Parameters:
    ///   - agent: The `User-Agent`. Receivers distinguish kinds of calls by it.
    ///   - prefix: Text before the signature in its header.
    ///   - timeout: Seconds for the whole call.
    /// - Throws: `EgressError` without an answer.
    func post(
        _ body: some Encodable, to url: String, agent: String, prefix: String = "", timeout: Int, app: AppRuntime
    ) async throws -> EgressAnswer {
        let bytes = try TokenJSON.encode(body)
        let key =
            if let opened = app.hookKey { opened } else { try await keys.current(of: app.settings.id) }
        let signature = Base64URL.encode(try key.pssSignature(for: bytes))
        return try await egress.send(
            EgressRequest(
                .post, url,
                headers: [
                    ("User-Agent", agent), ("Content-Type", "application/json"), ("Accept", "application/json"),
                    (Self.signatureHeader, prefix + signature), (Self.keyIDHeader, key.keyID),
                ], body: bytes, timeout: timeout))
    }
}
