import SessionDomain

/// One webhook: its settings, its activation, and the log of its deliveries.
enum WebhookPage {
    static func add(to routes: ConsoleRoutes) {
        let webhook = "/webhooks/:webhook_id"
        routes.appPage(webhook, show)
        routes.appForm(webhook, on: show) { visit, form in
            _ = try await visit.service.webhooks.replace(
                visit.webhookID, url: form.text("url") ?? "", events: try WebhooksPage.events(form), app: visit.app.id)
            return .redirect(visit.webhookPath, .saved)
        }
        routes.appForm(webhook + "/activate", on: show) { visit, _ in
            _ = try await visit.service.webhooks.activate(visit.webhookID, app: visit.app.id)
            return .redirect(visit.webhookPath, .activated)
        }
        routes.appForm(webhook + "/deliveries/:event_id/resend", for: .support, on: show) { visit, _ in
            try await visit.service.webhooks.resend(
                visit.parameter("event_id"), to: visit.webhookID, app: visit.app.id)
            return .redirect(visit.webhookPath, .resent)
        }
        routes.appPage(webhook + "/delete", showDeletion)
        routes.appForm(webhook + "/delete", confirming: ConsoleRoutes.always, on: showDeletion) { visit, _ in
            try await visit.service.webhooks.delete(visit.webhookID, app: visit.app.id)
            return .redirect(visit.path / "webhooks", .deleted)
        }
    }

    @Sendable private static func show(_ visit: AppVisit) async throws -> Page {
        let webhook = try await visit.service.webhooks.webhook(visit.webhookID, app: visit.app.id)
        let (deliveries, next) = try await visit.service.webhooks.deliveries(
            of: webhook.id, app: visit.app.id, limit: Part.size, offset: 0,
            cursor: visit.visit.query.filled("cursor"))
        return Page("Webhook", app: visit.app, section: .webhooks, parent: ("Webhooks", visit.path / "webhooks")) {
            if webhook.status == .inactive { activation(webhook, visit) }
            log(webhook, deliveries, next, visit)
            Show.card("Settings") {
                Show.values([
                    "Status": WebhooksPage.status(webhook), "Id": Show.code(webhook.id),
                    "Created": Show.time(webhook.createdAt), "Changed": Show.time(webhook.updatedAt),
                ])
                FormView.form(visit.visit, visit.webhookPath, id: "webhook", submit: "Save") {
                    WebhooksPage.fields($0, url: webhook.url, events: webhook.events)
                }
                if visit.visit.canWrite {
                    H.p(.class("hint")) { "A new URL gets no events until it is activated again. No user notices it." }
                    H.div(.class("actions")) { Link.button("Delete", visit.webhookPath / "delete", "danger") }
                }
            }
        }
    }

    private static func activation(_ webhook: Webhook, _ visit: AppVisit) -> HTML {
        Show.card("This webhook is not active") {
            H.p {
                "No event is sent before the endpoint has confirmed the URL. On activation the service sends it a request "
                "with a random number, which it must repeat."
            }
            if visit.visit.canWrite {
                Show.values(["Verification token": Show.code(webhook.verificationToken)])
                FormView.form(visit.visit, visit.webhookPath / "activate", id: "activate", submit: "Activate")
            }
        }
    }

    /// - Parameter next: The cursor of the deliveries that follow.
    private static func log(
        _ webhook: Webhook, _ deliveries: [WebhookDelivery], _ next: String?, _ visit: AppVisit
    ) -> HTML {
        guard !deliveries.isEmpty else {
            return Show.empty(
                "No event was sent yet",
                webhook.status == .active
                    ? "Events that happen from now on appear here." : "Activate the webhook first.")
        }
        let canResend = visit.visit.canSupport && webhook.status == .active
        return HTML(joining: [
            TableView.html(
                "Deliveries, newest first",
                columns: ["Event", "Happened", "Status", "Attempts", "Last result", "Next attempt"]
                    + (canResend ? ["Action"] : []),
                deliveries.map { row($0, canResend ? resend($0, visit) : nil) }),
            H.nav(.class("pages"), .aria(label: "Parts of the list")) {
                if visit.visit.query.filled("cursor") != nil { Link.button("Newest", visit.webhookPath, "small") }
                if let next { Link.button("Older", visit.webhookPath.query(["cursor": next]), "small") }
            },
        ])
    }

    private static func row(_ delivery: WebhookDelivery, _ action: HTML?) -> TableView.Row {
        let style = delivery.status == .delivered ? "good" : delivery.status == .failed ? "bad" : "warn"
        return TableView.Row(
            head: Show.code(delivery.event.name.rawValue),
            cells: [
                Show.time(delivery.event.createdAt), Show.badge(delivery.status.rawValue, style),
                HTML(escaping: String(delivery.attempts)),
                Show.text(delivery.lastError ?? delivery.lastStatus.map { String($0) }),
                delivery.status == .pending ? Show.time(delivery.nextAttemptAt) : Show.none,
            ] + (action.map { [$0] } ?? []))
    }

    private static func resend(_ delivery: WebhookDelivery, _ visit: AppVisit) -> HTML {
        FormView.form(
            visit.visit, visit.webhookPath / "deliveries" / delivery.event.id / "resend", for: .support,
            id: delivery.event.id,
            submit: "Send again", style: "small", label: "Send again: " + delivery.event.name.rawValue)
    }

    @Sendable private static func showDeletion(_ visit: AppVisit) async throws -> Page {
        let webhook = try await visit.service.webhooks.webhook(visit.webhookID, app: visit.app.id)
        return Page("Delete the webhook", app: visit.app, section: .webhooks, parent: ("Webhook", visit.webhookPath)) {
            ConfirmPage.content(
                visit.visit, visit.webhookPath / "delete",
                consequences: [
                    "\(webhook.url) gets no further events, and events that wait for it are dropped.",
                    "The log of its deliveries is deleted.", "No user notices it.", "This cannot be undone.",
                ], submit: "Delete the webhook", back: visit.webhookPath)
        }
    }
}

extension AppVisit {
    fileprivate var webhookID: String { parameter("webhook_id") }
    fileprivate var webhookPath: ConsolePath { path / "webhooks" / webhookID }
}
