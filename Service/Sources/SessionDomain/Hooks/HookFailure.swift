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
