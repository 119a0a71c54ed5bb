import SessionDomain

/// The webhooks of an app, and the page on which one is created.
enum WebhooksPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/webhooks", show)
        routes.appPage("/webhooks/new", showNew)
        routes.appForm("/webhooks/new", on: showNew) { console, form in
            let webhook = try await console.service.webhooks.create(
                url: form.text("url") ?? "", events: try events(form), app: console.app.id)
            return .redirect(console.path / "webhooks" / webhook.id, .created)
        }
        WebhookPage.add(to: routes)
    }

    @Sendable static func show(_ console: ConsoleAppContext) async throws -> Page {
        let webhooks = try await console.service.webhooks.webhooks(app: console.app.id)
        let new =
            console.context.canWrite
            ? Link.button("Create a webhook", console.path / "webhooks" / "new", "primary") : nil
        return Page("Webhooks", app: console.app, section: .webhooks) {
            if webhooks.isEmpty {
                Format.empty(
                    "There is no webhook yet", "A webhook sends events, such as new users, to a URL of your backend.",
                    new)
            } else {
                TableView.html(
                    "Webhooks of this app", columns: ["URL", "Status", "Events", "Created", "Id"],
                    webhooks.map { webhook in
                        TableView.Row(
                            H.a(.href(console.path / "webhooks" / webhook.id)) { H.bdi { webhook.url } },
                            status(webhook), HTML(escaping: Format.count(webhook.events.count, "kind")),
                            Format.time(webhook.createdAt), Format.code(webhook.id))
                    }, action: new)
            }
        }
    }

    static func status(_ webhook: Webhook) -> HTML {
        Format.badge(webhook.status.rawValue, webhook.status == .active ? "good" : "warn")
    }

    @Sendable private static func showNew(_ console: ConsoleAppContext) async throws -> Page {
        Page("Create a webhook", app: console.app, section: .webhooks, parent: ("Webhooks", console.path / "webhooks"))
        {
            H.section(.class("card")) {
                FormView.form(
                    console.context, console.path / "webhooks" / "new", id: "webhook", submit: "Create the webhook"
                ) {
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

/// What each event that a webhook can get reports, in a sentence. `docs/webhooks.md` has the data of each.
enum EventText {
    static func sentence(_ name: Event.Name) -> String? { sentences[name.rawValue] }

    static let sentences = [
        "user.created": "A user was created: by a sign-up, a migration, or an operator.",
        "user.deleted": "A user was deleted, with all sessions.",
        "user.profile.updated": "The profile of a user has changed.",
        "user.identifier.created": "A user got another e-mail address or phone number.",
        "user.identifier.deleted": "An e-mail address or phone number of a user was removed.",
        "user.session.created": "A user has signed in.",
        "user.session.revoked": "A session was ended before it expired, and the reason says why.",
        "send_hook.failed": "The send hook of your backend gave no valid answer.",
        "step_up.hook_failed": "The delegation hook of your backend gave no valid answer.",
        "user.status.updated": "A user was activated, deactivated or suspended.",
        "user.limits.cleared": "The limits of a user were set back, by an operator.",
        "user.password.updated": "The password of a user has changed.",
        "user.passkey.registered": "A user got another passkey.",
        "user.passkey.deleted": "A passkey of a user was deleted.",
        "user.passkey.counter_lowered": "The counter of a passkey went back, so it may have been copied.",
        "step_up.granted": "A user got a scope by a step-up.",
        "session.refresh_token_reused": "A spent refresh token was used again, and its session was revoked.",
        "session.recovered": "A session continues after the database was set back, for example to a backup.",
        "migration.hook_failed": "The migration hook of your backend gave no valid answer.",
        "signing_key.rotated": "There is a new signing key, and it says from when it signs.",
        "signing_key.removed": "A signing key was removed, and is no longer published.",
        "signing_key.resealed": "A signing key was encrypted with another master key.",
        "user.external_id.updated": "The external id of a user has changed.",
        "login.failed": "An attempt to sign in has failed, and the reason says why.",
        "login.limited": "A limit was reached. It is reported once an hour, and for each user of an address.",
        "user.logins.voided": "Logins that a user had begun were ended, and there was no session to end.",
        "code.sent": "A mail server or gateway has taken a code. It may not have arrived yet.",
        "code.failed": "No route took a code before it expired, or it was rejected.",
        "notice.sent": "A mail server or gateway has taken a notice to a user.",
        "notice.failed": "No route took a notice to a user in time, or it was rejected.",
        "management.app.updated": "Settings of the app have changed, and the event has them before and after.",
        "management.sessions.revoked": "The command that signs all users out was used.",
        "management.key.created": "A management key of the app was created, or has replaced another one.",
        "management.key.revoked": "A management key of the app was revoked.",
        "management.token.created": "A development token of a user was issued with a management key.",
        "management.webhook.created": "A webhook of the app was created.",
        "management.webhook.updated": "A webhook has another URL or other events.",
        "management.webhook.activated": "A webhook was activated.",
        "management.webhook.deleted": "A webhook was deleted.",
        "management.webhook.resent": "An operator had an event sent to a webhook again.",
        "management.console.signed_in": "An operator of this app has signed in to the console.",
        "management.console.signed_out": "An operator of this app has signed out of the console.",
        "management.console.confirmed": "An operator has proved again who they are, before a dangerous action.",
        "management.console.confirmation_failed": "An operator has failed to prove again who they are.",
        "management.delivery.tested": "An operator has sent a test message.",
        "management.user.exported": "An operator has downloaded all that is stored about a user.",
        "management.events.exported": "An operator has downloaded the audit trail.",
    ]
}

/// One webhook: its settings, its activation, and the log of its deliveries.
enum WebhookPage {
    static func add(to routes: ConsoleRoutes) {
        let webhook = "/webhooks/:webhook_id"
        routes.appPage(webhook, show)
        routes.appForm(webhook, on: show) { console, form in
            _ = try await console.service.webhooks.replace(
                console.webhookID, url: form.text("url") ?? "", events: try WebhooksPage.events(form),
                app: console.app.id)
            return .redirect(console.webhookPath, .saved)
        }
        routes.appForm(webhook + "/activate", on: show) { console, _ in
            _ = try await console.service.webhooks.activate(console.webhookID, app: console.app.id)
            return .redirect(console.webhookPath, .activated)
        }
        routes.appForm(webhook + "/deliveries/:event_id/resend", for: .support, on: show) { console, _ in
            try await console.service.webhooks.resend(
                console.parameter("event_id"), to: console.webhookID, app: console.app.id)
            return .redirect(console.webhookPath, .resent)
        }
        routes.appPage(webhook + "/delete", showDeletion)
        routes.appForm(webhook + "/delete", confirming: ConsoleRoutes.always, on: showDeletion) { console, _ in
            try await console.service.webhooks.delete(console.webhookID, app: console.app.id)
            return .redirect(console.path / "webhooks", .deleted)
        }
    }

    @Sendable private static func show(_ console: ConsoleAppContext) async throws -> Page {
        let webhook = try await console.service.webhooks.webhook(console.webhookID, app: console.app.id)
        let (deliveries, next) = try await console.service.webhooks.deliveries(
            of: webhook.id, app: console.app.id, limit: Part.size, offset: 0,
            cursor: console.context.query.filled("cursor"))
        return Page("Webhook", app: console.app, section: .webhooks, parent: ("Webhooks", console.path / "webhooks")) {
            if webhook.status == .inactive { activation(webhook, console) }
            log(webhook, deliveries, next, console)
            Format.card("Settings") {
                Format.values([
                    "Status": WebhooksPage.status(webhook), "Id": Format.code(webhook.id),
                    "Created": Format.time(webhook.createdAt), "Changed": Format.time(webhook.updatedAt),
                ])
                FormView.form(console.context, console.webhookPath, id: "webhook", submit: "Save") {
                    WebhooksPage.fields($0, url: webhook.url, events: webhook.events)
                }
                if console.context.canWrite {
                    H.p(.class("hint")) { "A new URL gets no events until it is activated again. No user notices it." }
                    H.div(.class("actions")) { Link.button("Delete", console.webhookPath / "delete", "danger") }
                }
            }
        }
    }

    private static func activation(_ webhook: Webhook, _ console: ConsoleAppContext) -> HTML {
        Format.card("This webhook is not active") {
            H.p {
                "No event is sent before the endpoint has confirmed the URL. On activation the service sends it a request "
                "with a random number, which it must repeat."
            }
            if console.context.canWrite {
                Format.values(["Verification token": Format.code(webhook.verificationToken)])
                FormView.form(console.context, console.webhookPath / "activate", id: "activate", submit: "Activate")
            }
        }
    }

    /// - Parameter next: The cursor of the deliveries that follow.
    private static func log(
        _ webhook: Webhook, _ deliveries: [WebhookDelivery], _ next: String?, _ console: ConsoleAppContext
    ) -> HTML {
        guard !deliveries.isEmpty else {
            return Format.empty(
                "No event was sent yet",
                webhook.status == .active
                    ? "Events that happen from now on appear here." : "Activate the webhook first.")
        }
        let canResend = console.context.canSupport && webhook.status == .active
        return HTML(joining: [
            TableView.html(
                "Deliveries, newest first",
                columns: ["Event", "Happened", "Status", "Attempts", "Last result", "Next attempt"]
                    + (canResend ? ["Action"] : []),
                deliveries.map { row($0, canResend ? resend($0, console) : nil) }),
            H.nav(.class("pages"), .aria(label: "Parts of the list")) {
                if console.context.query.filled("cursor") != nil { Link.button("Newest", console.webhookPath, "small") }
                if let next { Link.button("Older", console.webhookPath.query(["cursor": next]), "small") }
            },
        ])
    }

    private static func row(_ delivery: WebhookDelivery, _ action: HTML?) -> TableView.Row {
        let style = delivery.status == .delivered ? "good" : delivery.status == .failed ? "bad" : "warn"
        return TableView.Row(
            head: Format.code(delivery.event.name.rawValue),
            cells: [
                Format.time(delivery.event.createdAt), Format.badge(delivery.status.rawValue, style),
                HTML(escaping: String(delivery.attempts)),
                Format.text(delivery.lastError ?? delivery.lastStatus.map { String($0) }),
                delivery.status == .pending ? Format.time(delivery.nextAttemptAt) : Format.none,
            ] + (action.map { [$0] } ?? []))
    }

    private static func resend(_ delivery: WebhookDelivery, _ console: ConsoleAppContext) -> HTML {
        FormView.form(
            console.context, console.webhookPath / "deliveries" / delivery.event.id / "resend", for: .support,
            id: delivery.event.id,
            submit: "Send again", style: "small", label: "Send again: " + delivery.event.name.rawValue)
    }

    @Sendable private static func showDeletion(_ console: ConsoleAppContext) async throws -> Page {
        let webhook = try await console.service.webhooks.webhook(console.webhookID, app: console.app.id)
        return Page(
            "Delete the webhook", app: console.app, section: .webhooks, parent: ("Webhook", console.webhookPath)
        ) {
            ConfirmPage.content(
                console.context, console.webhookPath / "delete",
                consequences: [
                    "\(webhook.url) gets no further events, and events that wait for it are dropped.",
                    "The log of its deliveries is deleted.", "No user notices it.", "This cannot be undone.",
                ], submit: "Delete the webhook", back: console.webhookPath)
        }
    }
}

extension ConsoleAppContext {
    fileprivate var webhookID: String { parameter("webhook_id") }
    fileprivate var webhookPath: ConsolePath { path / "webhooks" / webhookID }
}
