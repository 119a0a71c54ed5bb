extension Event.Name {
    package static let userCreated = Event.Name(rawValue: "user.created")
    package static let userDeleted = Event.Name(rawValue: "user.deleted")
    package static let userStatusChanged = Event.Name(rawValue: "user.status.updated")
    package static let limitsCleared = Event.Name(rawValue: "user.limits.cleared")
    package static let identifierCreated = Event.Name(rawValue: "user.identifier.created")
    package static let identifierDeleted = Event.Name(rawValue: "user.identifier.deleted")
    package static let passwordChanged = Event.Name(rawValue: "user.password.updated")
    package static let passkeyRegistered = Event.Name(rawValue: "user.passkey.registered")
    package static let passkeyDeleted = Event.Name(rawValue: "user.passkey.deleted")
    package static let passkeyCounterLowered = Event.Name(rawValue: "user.passkey.counter_lowered")
    package static let sessionCreated = Event.Name(rawValue: "user.session.created")
    package static let sessionRevoked = Event.Name(rawValue: "user.session.revoked")
    package static let loginsVoided = Event.Name(rawValue: "user.logins.voided")
    package static let externalIDUpdated = Event.Name(rawValue: "user.external_id.updated")
    package static let profileUpdated = Event.Name(rawValue: "user.profile.updated")
    package static let sendHookFailed = Event.Name(rawValue: "send_hook.failed")
    package static let stepUpHookFailed = Event.Name(rawValue: "step_up.hook_failed")
    package static let migrationHookFailed = Event.Name(rawValue: "migration.hook_failed")
    package static let stepUpGranted = Event.Name(rawValue: "step_up.granted")
    package static let refreshTokenReused = Event.Name(rawValue: "session.refresh_token_reused")
    package static let loginFailed = Event.Name(rawValue: "login.failed")
    package static let loginLimited = Event.Name(rawValue: "login.limited")
    package static let codeSent = Event.Name(rawValue: "code.sent")
    package static let codeFailed = Event.Name(rawValue: "code.failed")
    package static let noticeSent = Event.Name(rawValue: "notice.sent")
    package static let noticeFailed = Event.Name(rawValue: "notice.failed")
    package static let sessionRecovered = Event.Name(rawValue: "session.recovered")
    package static let signingKeyRotated = Event.Name(rawValue: "signing_key.rotated")
    package static let signingKeyRemoved = Event.Name(rawValue: "signing_key.removed")
    package static let signingKeyResealed = Event.Name(rawValue: "signing_key.resealed")
}

/// Events of changes that operators make. Their names are `management.<resource>.<action>`.
///
/// A change that has an event of its own, such as `user.created`, gets no second one: its context names the operator's key.
extension Event.Name {
    package static let appCreated = Event.Name(rawValue: "management.app.created")
    package static let appUpdated = Event.Name(rawValue: "management.app.updated")
    package static let sessionsRevoked = Event.Name(rawValue: "management.sessions.revoked")
    package static let managementKeyCreated = Event.Name(rawValue: "management.key.created")
    package static let managementKeyRevoked = Event.Name(rawValue: "management.key.revoked")
    package static let developmentTokenIssued = Event.Name(rawValue: "management.token.created")
    package static let webhookCreated = Event.Name(rawValue: "management.webhook.created")
    package static let webhookUpdated = Event.Name(rawValue: "management.webhook.updated")
    package static let webhookActivated = Event.Name(rawValue: "management.webhook.activated")
    package static let webhookResent = Event.Name(rawValue: "management.webhook.resent")
    package static let consoleSignedIn = Event.Name(rawValue: "management.console.signed_in")
    package static let consoleSignedOut = Event.Name(rawValue: "management.console.signed_out")
    package static let consoleConfirmed = Event.Name(rawValue: "management.console.confirmed")
    package static let consoleConfirmationFailed = Event.Name(rawValue: "management.console.confirmation_failed")
    package static let deliveryTested = Event.Name(rawValue: "management.delivery.tested")
    package static let userExported = Event.Name(rawValue: "management.user.exported")
    package static let eventsExported = Event.Name(rawValue: "management.events.exported")
    package static let webhookDeleted = Event.Name(rawValue: "management.webhook.deleted")
}

/// Events about operators. They belong to the operator app.
extension Event.Name {
    package static let operatorCreated = Event.Name(rawValue: "management.operator.created")
    package static let operatorUpdated = Event.Name(rawValue: "management.operator.updated")
    package static let operatorRemoved = Event.Name(rawValue: "management.operator.removed")
}

extension Event.Name {
    /// The names of all events that the service writes.
    package static let all: [Event.Name] =
        Webhook.standardEvents + Webhook.furtherEvents + [
            .appCreated, .operatorCreated, .operatorUpdated, .operatorRemoved,
        ]

    /// The filters that select more than one name, such as `login.*`.
    package static let families: Set<String> = Set(
        all.flatMap { name in
            let parts = name.rawValue.split(separator: ".")
            return (1..<parts.count).map { parts.prefix($0).joined(separator: ".") + ".*" }
        })
}
