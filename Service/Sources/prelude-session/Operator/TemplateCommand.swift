import ArgumentParser
import Foundation
import SessionDomain
import SessionHTTP

/// `prelude-session template`: manages and previews the messages of one app.
struct TemplateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "template", abstract: "Show, change and preview the messages to users of an app.",
        subcommands: [List.self, Show.self, Set.self, Remove.self, Preview.self])

    /// The messages that a template is for.
    struct Key: ParsableArguments {
        @Argument(help: "sms or email.") var channel: String
        @Argument(
            help: """
                sign_in, step_up, new_identifier, notice_new_device, notice_identifier_added, notice_identifier_removed, \
                notice_password_changed or notice_sessions_ended.
                """)
        var purpose: String
        @Argument(help: "The language, such as de or pt-BR.") var locale: String

        func read() throws -> TemplateKey { try TemplateKey(channel: channel, purpose: purpose, locale: locale) }
    }

    /// The texts of a template.
    struct Texts: ParsableArguments {
        @Option(help: "The subject. Of a mail only.") var subject: String?

        @Option(help: "The text. Empty lines separate paragraphs.") var text: String?

        @Option(help: "A file with the text. - is standard input.", completion: .file()) var file: String?

        func validate() throws {
            guard text == nil || file == nil else { throw ValidationError("--text and --file exclude each other") }
        }

        /// `nil` if neither option is there.
        func read() throws -> String? {
            guard let file else { return text }
            let data =
                file == "-" ? try FileHandle.standardInput.readToEnd() : FileManager.default.contents(atPath: file)
            guard let data, let text = String(data: data, encoding: .utf8) else {
                throw ValidationError("\(file) cannot be read, or is not UTF-8.")
            }
            // Editors end a file with a line break.
            return text.hasSuffix("\n") ? String(text.dropLast()) : text
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the templates that messages use.",
            discussion: "Built-in templates are in English, French, German, Japanese and Spanish.")

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.templates.templates(of: app).map(\.summary))
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one template.")

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var key: Key
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let key = try key.read()
            try await options.withService { service in
                try options.show(try await service.templates.template(key, app: app).record)
            }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Set a template of the app, in place of the built-in one.",
            discussion: """
                Variables are {{app_name}}; {{code}} and {{minutes}} of a code; {{time}}, {{device}} and {{identifier}} of a \
                notice. Preview a text before you set it. A running service uses it within 5 seconds.
                """)

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var key: Key
        @OptionGroup var texts: Texts
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let key = try key.read()
            guard let text = try texts.read() else { throw ValidationError("--text or --file is required") }
            try await options.withService { service in
                try await service.templates.set(key.template(subject: texts.subject, text: text), app: app)
                try options.show(try await service.templates.template(key, app: app).record)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a template of the app. Messages use the built-in one again.")

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var key: Key
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let key = try key.read()
            try await options.withService { service in
                try await service.templates.remove(key, app: app)
                try options.show([("removed", .text("\(key.channel.rawValue) \(key.purpose.rawValue) \(key.locale)"))])
            }
        }
    }
}

extension ListedTemplate {
    fileprivate var summary: Record {
        [
            ("channel", .text(template.channel.rawValue)), ("purpose", .text(template.purpose.rawValue)),
            ("locale", .text(template.locale.tag)), ("template", .text(isBuiltIn ? "built-in" : "own")),
        ]
    }

    fileprivate var record: Record {
        summary + (template.subject.map { [("subject", .text($0))] } ?? []) + [("text", .text(template.text))]
    }
}

extension TemplateCommand {
    struct Preview: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "preview",
            abstract: "Print a message with sample values. Nothing is sent or stored.",
            discussion: "Without --text or --file, the template that messages use is printed.")

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var key: Key
        @OptionGroup var texts: Texts
        @Option(help: "Write the HTML part of a mail to this file.", completion: .file()) var html: String?
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let (key, text) = (try key.read(), try texts.read())
            guard html == nil || key.channel == .email else { throw ValidationError("--html is for mails only") }
            try await options.withService { service in
                let preview = try await service.templates.preview(
                    key, subject: texts.subject, text: text, app: app)
                if let html, let part = preview.message.html {
                    do {
                        try Data(part.utf8).write(to: URL(fileURLWithPath: html), options: .atomic)
                    } catch {
                        throw ValidationError("\(html) cannot be written.")
                    }
                }
                try options.show(preview)
            }
        }
    }
}

extension DatabaseOptions {
    /// Prints the message as its receiver sees it, or the JSON of the management API.
    fileprivate func show(_ preview: MessagePreview) throws {
        guard !json else { return try printJSON(TemplatePreviewBody(preview)) }
        if let subject = preview.message.subject { print("Subject: \(subject.escapedForTerminal)\n") }
        for line in preview.message.text.split(separator: "\n", omittingEmptySubsequences: false) {
            print(String(line).escapedForTerminal)
        }
        if let length = preview.length {
            let segments = length.segments == 1 ? "1 segment" : "\(length.segments) segments"
            print("\n\(length.units) characters in \(length.encoding.rawValue.uppercased()), \(segments)")
        }
        for warning in preview.warnings { print("warning: \(warning.escapedForTerminal)") }
    }
}
