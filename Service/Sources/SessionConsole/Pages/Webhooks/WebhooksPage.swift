import SessionDomain

/// The webhooks of an app, and the page on which one is created.
enum WebhooksPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/webhooks", show)
        routes.appPage("/webhooks/new", showNew)
        routes.appForm("/webhooks/new", on: showNew) { visit, form in
            let webhook = try await visit.service.webhooks.create(
                url: form.text("url") ?? "", events: try events(form), app: visit.app.id)
            return .redirect(visit.path / "webhooks" / webhook.id, .created)
        }
        WebhookPage.add(to: routes)
    }

    @Sendable static func show(_ visit: AppVisit) async throws -> Page {
        let webhooks = try await visit.service.webhooks.webhooks(app: visit.app.id)
        let new =
            visit.visit.canWrite ? Link.button("Create a webhook", visit.path / "webhooks" / "new", "primary") : nil
        return Page("Webhooks", app: visit.app, section: .webhooks) {
            if webhooks.isEmpty {
                Show.empty(
                    "There is no webhook yet", "A webhook sends events, such as new users, to a URL of your backend.",
                    new)
            } else {
                TableView.html(
                    "Webhooks of this app", columns: ["URL", "Status", "Events", "Created", "Id"],
                    webhooks.map { webhook in
                        TableView.Row(
                            H.a(.href(visit.path / "webhooks" / webhook.id)) { H.bdi { webhook.url } },
                            status(webhook), HTML(escaping: Show.count(webhook.events.count, "kind")),
                            Show.time(webhook.createdAt), Show.code(webhook.id))
                    }, action: new)
            }
        }
    }

    static func status(_ webhook: Webhook) -> HTML {
        Show.badge(webhook.status.rawValue, webhook.status == .active ? "good" : "warn")
    }

    @Sendable private static func showNew(_ visit: AppVisit) async throws -> Page {
        Page("Create a webhook", app: visit.app, section: .webhooks, parent: ("Webhooks", visit.path / "webhooks")) {
            H.section(.class("card")) {
                FormView.form(visit.visit, visit.path / "webhooks" / "new", id: "webhook", submit: "Create the webhook")
                {
                    fields($0, url: nil, events: Webhook.standardEvents.map(\.rawValue))
                }
            }
        }
    }

    /// The URL, and a checkbox for each event.
    /// The API takes an empty list for the standard events. Here, it would turn on what the operator has turned off.
    static func events(_ form: FormBody) throws(Refusal) -> [String] {
        let events = form.texts("events")
        guard !events.isEmpty else { throw .invalidField("events", "must be at least one") }
        return events
    }

    static func fields(_ form: FormView, url: String?, events: [String]) -> HTML {
        HTML(joining: [
            form.text(
                "url", "URL", url, hint: "It must begin with https:// and be reachable from the service.", type: "url",
                isRequired: true),
            form.group("Events") {
                H.div(.class(form.canWrite ? "checks" : "values")) {
                    for event in Webhook.standardEvents + Webhook.furtherEvents
                    where form.canWrite || events.contains(event.rawValue) {
                        let name = event.rawValue
                        form.checkbox(
                            "events", name, events.contains(name), value: name, hint: EventText.sentence(event),
                            id: form.id(of: "event-" + name))
                    }
                }
            },
        ])
    }
}
