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
        // RSA signatures take milliseconds, and a worker's tasks run on an event loop, which has connections to serve.
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

    /// Asks a hook while a user waits, in one of the app's slots for such calls.
    ///
    /// - Throws: `HookFailure` without an answer; `Refusal.overloaded` without a slot.
    func answer(
        to body: some Encodable, url: String, agent: String, timeout: Int, app: AppRuntime, at slots: AppSlots
    ) async throws -> EgressAnswer {
        let slot = try slots.take(app.settings.id)
        defer { withExtendedLifetime(slot) {} }
        do {
            return try await post(body, to: url, agent: agent, timeout: timeout, app: app)
        } catch EgressError.answerTooLarge {
            throw HookFailure.responseDecodeFailed
        } catch is EgressError {
            throw HookFailure.requestFailed
        }
    }
}

/// Reads the answers of hooks. Each rule throws its own failure.
enum HookAnswer {
    static func read(_ answer: EgressAnswer, knows stepKey: (String) -> Bool) throws(HookFailure) -> StepUpDecision {
        let members = try members(of: answer)
        guard let status = members["status"]?.stringValue.flatMap({ StepUpStatus(rawValue: $0) }) else {
            throw .invalidStatus
        }
        switch status {
        case .block: return .block
        case .continue: return .grant(try terms(members))
        case .review: return .review(try terms(members), steps: try steps(members["steps"], knows: stepKey))
        }
    }

    /// Why a send hook lets no code be sent; `nil` if it does.
    static func sendRefusal(_ answer: EgressAnswer) throws(HookFailure) -> LoginFailure? {
        switch try members(of: answer)["decision"] {
        case .string("allow"): return nil
        case .string("deny"): return .sendDenied
        case .string("other_channel"): return .otherChannel
        default: throw .invalidDecision
        }
    }

    private static func members(of answer: EgressAnswer) throws(HookFailure) -> [String: JSONValue] {
        guard (200..<300).contains(answer.status) else { throw .invalidStatusCode }
        guard let value = try? TokenJSON.decode(JSONValue.self, from: answer.body) else { throw .responseDecodeFailed }
        guard case .object(let members) = value else { throw .invalidResponse }
        return members
    }

    private static func terms(_ members: [String: JSONValue]) throws(HookFailure) -> GrantTerms {
        guard let mode = members["grant_mode"]?.stringValue.flatMap({ GrantMode(rawValue: $0) }) else {
            throw .invalidGrantMode
        }
        // A single-use grant needs no time limit, so the member is optional.
        let grantedFor = members["granted_for"] ?? (mode == .singleUse ? .int(0) : .null)
        guard case .int(let seconds) = grantedFor, (0...Int64(GrantTerms.maximumDuration)).contains(seconds),
            seconds > 0 || mode == .singleUse
        else { throw .invalidGrantedFor }
        return GrantTerms(mode: mode, grantedFor: Int(seconds))
    }

    private static func steps(
        _ value: JSONValue?, knows stepKey: (String) -> Bool
    ) throws(HookFailure) -> [StepUpStep] {
        guard case .array(let values) = value, !values.isEmpty else { throw .missingSteps }
        guard values.count <= StepUpStep.maximumCount else { throw .invalidStep }
        var steps: [StepUpStep] = []
        for value in values {
            guard case .object(let members) = value, case .int(let order) = members["order"],
                let key = members["key"]?.stringValue, stepKey(key),
                case .int(let duration) = members["expiration_duration"] ?? .int(0),
                (0...Int64(StepUpStep.maximumDuration)).contains(duration), (0...1000).contains(order),
                !steps.contains(where: { $0.order == Int(order) || $0.key == key })
            else { throw .invalidStep }
            steps.append(StepUpStep(order: Int(order), key: key, expirationDuration: Int(duration)))
        }
        return steps.sorted { $0.order < $1.order }
    }
}

/// Why a hook's answer was rejected. The raw values appear in events such as `step_up.hook_failed`.
package enum HookFailure: String, Error, Sendable, CaseIterable {
    /// No answer: the address is not allowed, the connection failed or timed out.
    case requestFailed = "request_failed"
    /// The status is not 2xx. Redirects are not followed.
    case invalidStatusCode = "invalid_status_code"
    /// The body is not JSON, or too large.
    case responseDecodeFailed = "response_decode_failed"
    /// The `decision` of a send hook is missing or unknown.
    case invalidDecision = "invalid_decision"
    /// `status` is missing or unknown.
    case invalidStatus = "invalid_status"
    /// The status is `review`, but there are no steps.
    case missingSteps = "missing_steps"
    /// `granted_for` is missing, not an integer, or out of range.
    case invalidGrantedFor = "invalid_granted_for"
    /// `grant_mode` is missing or unknown.
    case invalidGrantMode = "invalid_grant_mode"
    /// A step has an unknown or repeated key, an invalid or repeated order, or an invalid duration; the user cannot complete
    /// it; or there are too many steps.
    case invalidStep = "invalid_step"
    /// The body is JSON, but not an object.
    case invalidResponse = "invalid_response"
}

/// Creates an app's first hook key: when a hook or webhook is configured, or at the latest before the first signature.
package struct HookKeys: Sendable {
    private let store: any AppStore
    private let keys: KeyRing
    private let signingKeys: SigningKeys
    private let environment: ServiceEnvironment

    package init(store: any AppStore, keys: KeyRing, directory: AppDirectory?, environment: ServiceEnvironment) {
        self.store = store
        self.keys = keys
        self.environment = environment
        signingKeys = SigningKeys(store: store, keys: keys, directory: directory, environment: environment)
    }

    /// Creates a key if there is none. If two nodes do so at once, both use the key that was stored first.
    package func ensure(app: AppID) async throws {
        guard try await schedule(of: app).keys.isEmpty else { return }
        try await signingKeys.rotate(.hook, of: app, reason: .first)
    }

    /// Returns the key that signs now.
    func current(of app: AppID) async throws -> RSASigningKey {
        try await ensure(app: app)
        guard let key = try await schedule(of: app).signing(at: environment.now()) else {
            throw KeyRingError.cannotOpen
        }
        return try keys.openHookKey(key)
    }

    private func schedule(of app: AppID) async throws -> KeySchedule {
        KeySchedule(try await store.signingKeys(of: app), purpose: .hook)
    }
}
