internal import SessionTokens

extension EventFactory {
    /// Reports the result of a message. `nil` while there is none.
    ///
    /// - Parameter reference: The id that the route gave to the message.
    func result(of message: QueuedMessage, by route: String?, reference: String?) -> Event? {
        var subject = LoginSubject(message.recipient, userID: message.content.userID)
        subject.sessionID = message.content.sessionID
        subject.purpose = message.content.purpose.loginPurpose ?? .login
        let isNotice = message.content.purpose == .notice
        var data = subject.data
        if isNotice { data["purpose"] = .string(MessagePurpose.notice.rawValue) }
        data["channel"] = .string(message.channel.rawValue)
        data["message_id"] = .string(message.id)
        switch message.status {
        case .pending: return nil
        case .withheld:
            guard let reason = message.content.withheld else { return nil }
            return loginFailed(reason, LoginMethod(codeTo: message.recipient.type), of: subject)
        case .sent:
            if let route { data["route"] = .string(route) }
            if let reference { data["reference"] = .string(reference) }
            return make(isNotice ? .noticeSent : .codeSent, data)
        case .failed:
            if let failure = message.lastFailure {
                if let route = failure.route { data["route"] = .string(route) }
                data["stage"] = .string(failure.stage)
                data["reason"] = .string(failure.reason)
            }
            data["attempts"] = .int(Int64(message.attempts))
            return make(isNotice ? .noticeFailed : .codeFailed, data)
        }
    }
}

extension MessagePurpose {
    /// What the code is for, as events report it. `nil` for a notice.
    fileprivate var loginPurpose: LoginPurpose? {
        switch self {
        case .signIn: .login
        case .stepUp: .stepUp
        case .newIdentifier: .register
        case .notice: nil
        }
    }
}
