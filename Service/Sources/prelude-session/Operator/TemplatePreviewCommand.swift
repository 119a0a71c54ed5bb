import ArgumentParser
import Foundation
import SessionDomain
import SessionHTTP

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
        guard !json else {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(
                String(decoding: try encoder.encode(TemplatePreviewBody(preview)), as: UTF8.self).escapedJSONForTerminal
            )
            return
        }
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
