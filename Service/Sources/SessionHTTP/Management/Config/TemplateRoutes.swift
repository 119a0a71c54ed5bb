import Hummingbird
package import SessionDomain
import SessionTokens

/// The templates of messages in the management API.
struct TemplateRoutes: Sendable {
    let templates: TemplateManagement

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        let settings = try await templates.settings(of: context.appID)
        return try .json(
            TemplateListBody(
                config: settings.body,
                templates: try await templates.templates(of: context.appID).map(TemplateBody.init)))
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

/// A template as the management API shows it.
struct TemplateBody: Encodable {
    let channel: String
    let purpose: String
    let locale: String
    let subject: String?
    let text: String
    let isBuiltIn: Bool

    private enum CodingKeys: String, CodingKey {
        case channel, purpose, locale, subject, text
        case isBuiltIn = "built_in"
    }

    init(_ listed: ListedTemplate) {
        channel = listed.template.channel.rawValue
        purpose = listed.template.purpose.rawValue
        locale = listed.template.locale.tag
        subject = listed.template.subject
        text = listed.template.text
        isBuiltIn = listed.isBuiltIn
    }
}

/// The texts of a template in a request. The path names the messages that they are for.
struct TemplateChangeBody: Decodable {
    let subject: String?
    let text: String
}

/// The settings and all templates that messages use.
private struct TemplateListBody: Encodable {
    let config: [String: JSONValue]
    let templates: [TemplateBody]
}

/// A message to preview. Without a text, the stored template is rendered.
struct TemplatePreviewRequestBody: Decodable {
    let channel: String
    let purpose: String
    let locale: String?
    let subject: String?
    let text: String?
}

/// A rendered message with sample values.
package struct TemplatePreviewBody: Encodable {
    let locale: String
    let subject: String?
    let text: String
    let html: String?
    /// `gsm-7` or `ucs-2`; of an SMS only, as the two below.
    let encoding: String?
    let characters: Int?
    let segments: Int?
    let warnings: [String]

    package init(_ preview: MessagePreview) {
        locale = preview.message.locale.tag
        subject = preview.message.subject
        text = preview.message.text
        html = preview.message.html
        encoding = preview.length?.encoding.rawValue
        characters = preview.length?.units
        segments = preview.length?.segments
        warnings = preview.warnings
    }
}
