internal import SessionTokens

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
