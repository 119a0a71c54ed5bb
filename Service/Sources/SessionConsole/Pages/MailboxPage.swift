import SessionDomain
import SessionHTTP

/// The messages that a service in development mode would have sent.
enum MailboxPage {
    static func add(to routes: ConsoleRoutes) { routes.page("/mailbox", show) }

    @Sendable static func show(_ console: ConsoleContext) async throws -> Page {
        guard let mailbox = console.mailbox else {
            throw Refusal.notFound("there is a mailbox in development mode only")
        }
        try console.requireAllApps()
        // What was queued by a call that has just returned.
        try await console.service.messages.deliverDue()
        await console.service.messages.settle()
        let entries = mailbox.entries
        return Page("Mailbox") {
            H.p(.class("lead")) { "Messages that this development service would have sent, newest first." }
            if entries.isEmpty {
                Format.empty(
                    "No message was sent yet", "Start a login with a code in your app, and load this page again.")
            } else {
                TableView.html(
                    "Messages", showsTitle: false, columns: ["Sent", "By", "To", "Purpose", "Code", "Text"],
                    entries.map { entry in
                        let message = entry.message
                        return TableView.Row(
                            Format.time(entry.sentAt), HTML(escaping: message.channel.rawValue),
                            Format.text(message.to),
                            HTML(escaping: message.purpose.rawValue.replacing("_", with: " ")),
                            message.code.map { code in H.strong(.class("mono")) { code } } ?? Format.none,
                            H.details {
                                H.summary {
                                    "Show"
                                    H.span(.class("hidden")) { " the text of the message to " + message.to }
                                }
                                if let subject = message.subject { H.p { H.strong { H.bdi { subject } } } }
                                H.pre { H.bdi { message.text } }
                            })
                    })
                H.p { Link.button("Load again", .mailbox) }
            }
        }
    }
}
