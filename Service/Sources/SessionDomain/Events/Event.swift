package import SessionTokens

/// An event for audit and webhooks. It is stored in the same transaction as the change that it reports.
package struct Event: Sendable, Equatable {
    package struct Name: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        package static let userCreated = Name(rawValue: "user.created")
        package static let userDeleted = Name(rawValue: "user.deleted")
        package static let userStatusChanged = Name(rawValue: "user.status.updated")
        package static let limitsCleared = Name(rawValue: "user.limits.cleared")
        package static let identifierCreated = Name(rawValue: "user.identifier.created")
        package static let identifierDeleted = Name(rawValue: "user.identifier.deleted")
        package static let passwordChanged = Name(rawValue: "user.password.updated")
        package static let sessionCreated = Name(rawValue: "user.session.created")
        package static let sessionRevoked = Name(rawValue: "user.session.revoked")
        package static let loginsVoided = Name(rawValue: "user.logins.voided")
        package static let externalIDUpdated = Name(rawValue: "user.external_id.updated")
        package static let profileUpdated = Name(rawValue: "user.profile.updated")
        package static let sendHookFailed = Name(rawValue: "send_hook.failed")
        package static let stepUpHookFailed = Name(rawValue: "step_up.hook_failed")
        package static let migrationHookFailed = Name(rawValue: "migration.hook_failed")
        package static let stepUpGranted = Name(rawValue: "step_up.granted")
        package static let refreshTokenReused = Name(rawValue: "session.refresh_token_reused")
        package static let loginFailed = Name(rawValue: "login.failed")
        package static let loginLimited = Name(rawValue: "login.limited")
        package static let codeSent = Name(rawValue: "code.sent")
        package static let codeFailed = Name(rawValue: "code.failed")
        package static let noticeSent = Name(rawValue: "notice.sent")
        package static let noticeFailed = Name(rawValue: "notice.failed")
        package static let sessionRecovered = Name(rawValue: "session.recovered")
        package static let signingKeyRotated = Name(rawValue: "signing_key.rotated")
        package static let signingKeyRemoved = Name(rawValue: "signing_key.removed")
        package static let signingKeyResealed = Name(rawValue: "signing_key.resealed")
    }

    /// `evt_` and a ULID.
    package let id: String
    package let appID: AppID
    package let name: Name
    package let createdAt: Timestamp
    package let data: [String: JSONValue]
    /// Who caused it, and from where. The management API and commands show it; webhooks do not receive it.
    package let context: EventContext

    package init(
        id: String, appID: AppID, name: Name, createdAt: Timestamp, data: [String: JSONValue],
        context: EventContext = EventContext()
    ) {
        self.id = id
        self.appID = appID
        self.name = name
        self.createdAt = createdAt
        self.data = data
        self.context = context
    }

    /// The user that the event is about, for the filter by user.
    package var userID: String? { data["user_id"]?.stringValue }
}

/// Creates the events of one request. Intents carry it into the store's transaction.
package struct EventFactory: Sendable {
    package let appID: AppID
    private let environment: ServiceEnvironment
    private let context: EventContext

    /// - Parameter context: Who causes the events. The default is the context of the current task.
    package init(appID: AppID, environment: ServiceEnvironment, context: EventContext = .current) {
        self.appID = appID
        self.environment = environment
        self.context = context
    }

    /// Returns a factory for the events of another app.
    func of(_ app: AppID) -> EventFactory { EventFactory(appID: app, environment: environment, context: context) }

    package func make(_ name: Event.Name, _ data: [String: JSONValue]) -> Event {
        Event(
            id: environment.newID("evt"), appID: appID, name: name, createdAt: environment.now(), data: data,
            context: context)
    }

    package func userCreated(_ user: User) -> Event {
        make(.userCreated, ["user_id": .string(user.id)])
    }

    package func stepUpGranted(_ grant: Grant) -> Event {
        make(
            .stepUpGranted,
            [
                "user_id": .string(grant.userID), "session_id": .string(grant.sessionID),
                "scope": .string(grant.scope), "grant_mode": .string(grant.mode.rawValue),
            ])
    }

    package func identifierCreated(_ identifier: CanonicalIdentifier, of userID: String) -> Event {
        make(.identifierCreated, identifier.eventData(of: userID))
    }

    package func identifierDeleted(_ identifier: CanonicalIdentifier, of userID: String) -> Event {
        make(.identifierDeleted, identifier.eventData(of: userID))
    }

    package func refreshTokenReused(_ session: Session, reason: RefreshTokenReuse) -> Event {
        make(
            .refreshTokenReused,
            ["user_id": .string(session.userID), "session_id": .string(session.id), "reason": .string(reason.rawValue)])
    }

    /// - Parameter rotations: How many rotations the stored session is behind the device.
    package func sessionRecovered(_ session: Session, missing rotations: Int64) -> Event {
        make(
            .sessionRecovered,
            [
                "user_id": .string(session.userID), "session_id": .string(session.id),
                "missing_rotations": .int(rotations),
            ])
    }

    package func sessionRevoked(_ session: Session, reason: RevocationReason) -> Event {
        make(
            .sessionRevoked,
            ["user_id": .string(session.userID), "session_id": .string(session.id), "reason": .string(reason.rawValue)])
    }
}

extension CanonicalIdentifier {
    fileprivate func eventData(of userID: String) -> [String: JSONValue] {
        [
            "user_id": .string(userID),
            "identifier": .object(["type": .string(type.rawValue), "value": .string(value)]),
        ]
    }
}
