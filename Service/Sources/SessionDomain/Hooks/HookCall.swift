internal import Foundation
internal import SessionRSA
internal import SessionTokens

/// Sends a signed POST to an operator's backend. The signatures are RSASSA-PSS with SHA-256.
///
/// The first one covers the raw body. The second one also covers the id and the time of the request, so that a receiver
/// can reject a copy that is sent again. The id is new for each request, so a retry is no copy.
struct HookCall: Sendable {
    let egress: any Egress
    let keys: HookKeys
    let environment: ServiceEnvironment

    static let signatureHeader = "X-Webhook-Signature"
    static let keyIDHeader = "X-Webhook-Signature-Key-Id"
    static let idHeader = "X-Webhook-Id"
    static let timestampHeader = "X-Webhook-Timestamp"
    static let signatureV2Header = "X-Webhook-Signature-V2"

    /// - Parameters:
    ///   - agent: The `User-Agent`. Receivers distinguish kinds of calls by it.
    ///   - prefix: Text before the signature of the body in its header.
    ///   - timeout: Seconds for the whole call.
    /// - Throws: `EgressError` without an answer.
    func post(
        _ body: some Encodable, to url: String, agent: String, prefix: String = "", timeout: Int, app: AppRuntime
    ) async throws -> EgressAnswer {
        let bytes = try TokenJSON.encode(body)
        let key =
            if let opened = app.hookKey { opened } else { try await keys.current(of: app.settings.id) }
        let (id, timestamp) = (environment.newID("msg"), String(environment.now().seconds))
        // RSA signatures take milliseconds, and a courier's tasks run on an event loop, which has connections to serve.
        let (signature, signatureV2) = try await withTaskExecutorPreference(globalConcurrentExecutor) {
            (
                Base64URL.encode(try key.pssSignature(for: bytes)),
                Base64URL.encode(try key.pssSignature(for: Data("\(id).\(timestamp).".utf8) + bytes))
            )
        }
        return try await egress.send(
            EgressRequest(
                .post, url,
                headers: [
                    ("User-Agent", agent), ("Content-Type", "application/json"), ("Accept", "application/json"),
                    (Self.signatureHeader, prefix + signature), (Self.keyIDHeader, key.keyID),
                    (Self.idHeader, id), (Self.timestampHeader, timestamp), (Self.signatureV2Header, signatureV2),
                ], body: bytes, timeout: timeout))
    }

    /// Asks a hook while a user waits, in one of the app's places for such calls.
    ///
    /// - Throws: `HookFailure` without an answer; `Refusal.overloaded` without a place.
    func answer(
        to body: some Encodable, url: String, agent: String, timeout: Int, app: AppRuntime, at places: AppPlaces
    ) async throws -> EgressAnswer {
        let place = try places.take(app.settings.id)
        defer { withExtendedLifetime(place) {} }
        do {
            return try await post(body, to: url, agent: agent, timeout: timeout, app: app)
        } catch EgressError.answerTooLarge {
            throw HookFailure.responseDecodeFailed
        } catch is EgressError {
            throw HookFailure.requestFailed
        }
    }
}
