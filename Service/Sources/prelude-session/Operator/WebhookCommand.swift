import ArgumentParser
import SessionDomain

/// `prelude-session webhook`: manages the webhooks of one app.
struct WebhookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook", abstract: "Create, activate, change and delete the webhooks of an app.",
        subcommands: [
            Create.self, List.self, Show.self, Activate.self, Update.self, Deliveries.self, Delete.self,
        ])

    /// What a webhook sends, and where to.
    struct Target: ParsableArguments {
        @Argument(help: "The https URL that receives the events.") var url: String

        @Option(
            name: .customLong("event"),
            help: "An event to send, such as user.created. Can be repeated. (default: the standard events)")
        var events: [String] = []
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a webhook. It sends nothing until it is activated.")

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var target: Target
        @OptionGroup var outbound: OutboundOptions
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService(of: app, outbound: outbound) { service in
                let webhook = try await service.webhooks.create(url: target.url, events: target.events, app: app)
                try options.show(webhook.record)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the webhooks.")

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService(of: app) { service in
                _ = try await service.apps.app(app)
                try options.show(try await service.webhooks.webhooks(app: app).map(\.record))
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one webhook.")

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The webhook's id, web_….") var id: String
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService(of: app) { service in
                try options.show(try await service.webhooks.webhook(id, app: app).record)
            }
        }
    }

    struct Activate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "activate",
            abstract: "Ask the endpoint whether it wants the events, and start sending.",
            discussion: "This command sends the request, from this machine. Later events are sent by the service.")

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The webhook's id, web_….") var id: String
        @OptionGroup var outbound: OutboundOptions
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService(of: app, outbound: outbound) { service in
                try options.show(try await service.webhooks.activate(id, app: app).record)
            }
        }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "update",
            abstract: "Replace URL and events of a webhook.", discussion: "A new URL must be activated again.")

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The webhook's id, web_….") var id: String
        @OptionGroup var target: Target
        @OptionGroup var outbound: OutboundOptions
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService(of: app, outbound: outbound) { service in
                let webhook = try await service.webhooks.replace(
                    id, url: target.url, events: target.events, app: app)
                try options.show(webhook.record)
            }
        }
    }

    struct Deliveries: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "deliveries",
            abstract: "List the newest deliveries of a webhook, with their failures.")

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The webhook's id, web_….") var id: String
        @Option(help: "The number of deliveries to show at most. 1 to 100.") var limit = 20
        @OptionGroup var options: DatabaseOptions

        func validate() throws {
            guard (1...100).contains(limit) else { throw ValidationError("--limit must be 1 to 100") }
        }

        func run() async throws {
            try await options.withService(of: app) { service in
                let deliveries = try await service.webhooks.deliveries(of: id, app: app, limit: limit, offset: 0)
                try options.show(deliveries.map(\.record))
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete a webhook. Events that were not delivered are not sent.")

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The webhook's id, web_….") var id: String
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService(of: app) { service in
                try await service.webhooks.delete(id, app: app)
                try options.show([("deleted", .text(id))])
            }
        }
    }
}

extension Webhook {
    fileprivate var record: Record {
        [
            ("id", .text(id)), ("url", .text(url)), ("status", .text(status.rawValue)), ("events", .list(events)),
            ("verification token", .text(verificationToken)), ("created", .time(createdAt)),
            ("updated", .time(updatedAt)),
        ]
    }
}

extension WebhookDelivery {
    fileprivate var record: Record {
        [
            ("event", .text(event.name.rawValue)), ("event id", .text(event.id)), ("status", .text(status.rawValue)),
            ("attempts", .number(attempts)),
            ("next attempt", .time(status == .pending ? nextAttemptAt : nil, none: "–")),
            ("last status", .number(lastStatus)), ("last error", .text(lastError)),
            ("delivered", .time(deliveredAt, none: "–")),
        ]
    }
}
