import Hummingbird
import SessionDomain

/// Which notices users get, in requests and in responses. A missing member gets its default.
struct NoticesConfigBody: Codable {
    let newDevice: Bool?
    let identifierAdded: Bool?
    let identifierRemoved: Bool?
    let passwordChanged: Bool?
    let sessionsEnded: Bool?

    private enum CodingKeys: String, CodingKey {
        case newDevice = "new_device"
        case identifierAdded = "identifier_added"
        case identifierRemoved = "identifier_removed"
        case passwordChanged = "password_changed"
        case sessionsEnded = "sessions_ended"
    }

    init(_ settings: NoticeSettings) {
        newDevice = settings.newDevice
        identifierAdded = settings.identifierAdded
        identifierRemoved = settings.identifierRemoved
        passwordChanged = settings.passwordChanged
        sessionsEnded = settings.sessionsEnded
    }

    var settings: NoticeSettings {
        var settings = NoticeSettings()
        settings.newDevice = newDevice ?? settings.newDevice
        settings.identifierAdded = identifierAdded ?? settings.identifierAdded
        settings.identifierRemoved = identifierRemoved ?? settings.identifierRemoved
        settings.passwordChanged = passwordChanged ?? settings.passwordChanged
        settings.sessionsEnded = sessionsEnded ?? settings.sessionsEnded
        return settings
    }
}

/// The notices of an app in the management API.
struct NoticesConfigRoutes: Sendable {
    let apps: AppManagement

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(NoticesConfigBody(try await apps.app(context.appID).messages.notices))
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let settings = try await request.decodeExactly(NoticesConfigBody.self).settings
        let stored = try await apps.update(context.appID) { app in
            app.messages.notices = settings
            return app.messages.notices
        }
        return try .config(NoticesConfigBody(stored))
    }
}
