/// Why a delegation hook's answer did not count; the raw values are those of the event `step_up.hook_failed`.
package enum HookFailure: String, Error, Sendable, CaseIterable {
    /// No answer: refused address, no connection, timeout.
    case requestFailed = "request_failed"
    /// Not 2xx; redirects are not followed.
    case invalidStatusCode = "invalid_status_code"
    /// Not JSON, or too much of it.
    case responseDecodeFailed = "response_decode_failed"
    /// `status` is missing or no word of ours.
    case invalidStatus = "invalid_status"
    /// `review` without steps.
    case missingSteps = "missing_steps"
    /// `granted_for` is missing, no whole number, or out of range.
    case invalidGrantedFor = "invalid_granted_for"
    /// `grant_mode` is missing or no word of ours.
    case invalidGrantMode = "invalid_grant_mode"
    /// A step with an unknown key, an order that another has, a bad duration, or one that the user cannot do.
    case invalidStep = "invalid_step"
    /// JSON, but no object.
    case invalidResponse = "invalid_response"
}
