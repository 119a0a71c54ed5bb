internal import SessionTokens

extension Decision {
    /// What a store reports after it has committed the changes of this decision.
    package var occurrences: [Occurrence] {
        guard isCommitted else { return [] }
        var occurrences: [Occurrence] = []
        // A limit that is reported for a further identifier is no news for operators.
        let isKnownLimit = changes.contains {
            switch $0 {
            case .count(.reports, _, _, _), .count(.withheld(.reports), _, _, _): true
            default: false
            }
        }
        for change in changes {
            switch change {
            case .append(let event) where isKnownLimit && event.name == .loginLimited: break
            case .append(let event): if let occurrence = Occurrence(event) { occurrences.append(occurrence) }
            case .insertMessage(let message):
                // A message that must not be sent is no message for metrics.
                guard message.content.withheld == nil else { continue }
                occurrences.append(.messageQueued(message.channel, message.content.purpose))
            default: break
            }
        }
        return occurrences
    }
}

extension Occurrence {
    /// What a committed event means to observers, without its ids and identifiers. `nil`: nothing.
    package init?(_ event: Event) {
        func text(_ name: String) -> String? { event.data[name]?.stringValue }
        let method = text("method").flatMap(LoginMethod.init(rawValue:))
        switch event.name {
        case .sessionCreated: self = .login(method, .succeeded)
        case .loginFailed:
            guard let failure = text("reason").flatMap(LoginFailure.init(rawValue:)) else { return nil }
            self = .login(method, .failed(failure))
        case .loginLimited:
            guard let limit = text("limit").flatMap(LimitName.init(rawValue:)), let until = text("retry_at") else {
                return nil
            }
            self = .notice(.limitReached(limit, app: event.appID, callingCode: text("calling_code"), until: until))
        case .refreshTokenReused:
            guard let reuse = text("reason").flatMap(RefreshTokenReuse.init(rawValue:)) else { return nil }
            self = .reuse(reuse)
        case .stepUpHookFailed, .migrationHookFailed, .sendHookFailed:
            guard let failure = text("reason").flatMap(HookFailure.init(rawValue:)) else { return nil }
            self = .hookFailed(failure)
        default: return nil
        }
    }
}
