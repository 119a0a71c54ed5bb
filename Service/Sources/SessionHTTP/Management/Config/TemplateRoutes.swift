import Hummingbird
import SessionDomain

/// The templates of messages in the management API.
struct TemplateRoutes: Sendable {
    let templates: TemplateManagement

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        let settings = try await templates.settings(of: context.appID)
        return try .json(
            TemplateListBody(
                config: TemplateSettingsBody(settings),
                templates: try await templates.templates(of: context.appID).map(TemplateBody.init)))
    }

    /// Replaces the settings. The templates stay as they are.
    @Sendable func change(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decodeExactly(TemplateSettingsBody.self).change
        return try .config(TemplateSettingsBody(try await templates.change(change, app: context.appID)))
    }

    @Sendable func reset(_ request: Request, context: OperatorContext) async throws -> Response {
        try await templates.reset(app: context.appID)
        return .noContent
    }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(TemplateBody(try await templates.template(Self.key(context), app: context.appID)))
    }

    @Sendable func set(_ request: Request, context: OperatorContext) async throws -> Response {
        let key = try Self.key(context)
        let body = try await request.decodeExactly(TemplateChangeBody.self)
        try await templates.set(key.template(subject: body.subject, text: body.text), app: context.appID)
        return try .config(TemplateBody(try await templates.template(key, app: context.appID)))
    }

    @Sendable func remove(_ request: Request, context: OperatorContext) async throws -> Response {
        try await templates.remove(Self.key(context), app: context.appID)
        return .noContent
    }

    @Sendable func preview(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(TemplatePreviewRequestBody.self)
        let settings = try await templates.settings(of: context.appID)
        let key = try TemplateKey(
            channel: body.channel, purpose: body.purpose, locale: body.locale ?? settings.defaultLocale.tag)
        return try .json(
            TemplatePreviewBody(
                try await templates.preview(key, subject: body.subject, text: body.text, app: context.appID)))
    }

    private static func key(_ context: OperatorContext) throws(Refusal) -> TemplateKey {
        try TemplateKey(
            channel: context.parameters.get("channel") ?? "", purpose: context.parameters.get("purpose") ?? "",
            locale: context.parameters.get("locale") ?? "")
    }
}
