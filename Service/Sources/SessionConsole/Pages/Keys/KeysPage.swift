import SessionDomain

/// The management keys and the signing keys of an app.
enum KeysPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/keys", show)
        routes.appPage("/keys/new", showNew)
        routes.appForm("/keys/new", confirming: ConsoleRoutes.always, on: showNew, create)
        KeyConfirmations.add(to: routes)
    }

    @Sendable static func show(_ console: ConsoleAppContext) async throws -> Page {
        let keys = try await console.service.managementKeys.all(of: console.app.id)
        let signing = try await console.service.signingKeys.all(of: console.app.id)
        let new = console.context.canWrite ? Link.button("Create a key", console.path / "keys" / "new", "primary") : nil
        return Page("Keys", app: console.app, section: .keys) {
            if keys.isEmpty {
                Format.empty(
                    "There is no management key of this app",
                    "A management key lets a backend or a colleague manage this app, and no other one.", new)
            } else {
                TableView.html(
                    "Management keys",
                    columns: ["Name", "Role", "Created by", "Created", "Last used", "Expires", "Audit"]
                        + (console.context.canWrite ? ["Action"] : []),
                    keys.map { row($0, console) }, action: new)
            }
            TableView.html(
                "Signing keys", columns: ["Purpose", "State", "Algorithm", "Signs from", "Signs until", "Key id"],
                signing.map { key, state in
                    TableView.Row(
                        HTML(escaping: key.purpose.rawValue),
                        Format.badge(state.rawValue, state == .active ? "good" : state == .pending ? "warn" : ""),
                        HTML(escaping: key.algorithm.rawValue), Format.time(key.activeFrom), Format.time(key.retiresAt),
                        Format.code(key.keyID))
                },
                action: console.context.canWrite ? Link.button("Rotate", console.path / "signing-keys" / "rotate") : nil
            )
        }
    }

    private static func row(_ key: ManagementKey, _ console: ConsoleAppContext) -> TableView.Row {
        let path = console.path / "keys" / key.id
        let isValid = key.isValid(at: console.service.environment.now())
        let cells = [
            Format.badge(key.role.rawValue, key.role == .write ? "warn" : ""),
            Format.text(key.createdBy?.publicName.replacing("_", with: " ")), Format.time(key.createdAt),
            Format.time(key.lastUsedAt, or: "never"),
            isValid ? Format.time(key.expiresAt, or: "never") : Format.badge("expired", "bad"),
            Link.audit(of: key.name, (console.path / "events").query(["actor_id": key.id])),
        ]
        let actions = H.div(.class("actions")) {
            H.a(.class("button small"), .href(path / "rotate"), .aria(label: "Rotate " + key.name)) { "Rotate" }
            H.a(.class("button small danger"), .href(path / "revoke"), .aria(label: "Revoke " + key.name)) { "Revoke" }
        }
        return TableView.Row(
            head: H.bdi { key.name }, cells: cells + (console.context.canWrite ? [actions] : []))
    }

    @Sendable private static func showNew(_ console: ConsoleAppContext) async throws -> Page {
        Page("Create a management key", app: console.app, section: .keys, parent: ("Keys", console.path / "keys")) {
            H.section(.class("card")) {
                FormView.form(console.context, console.path / "keys" / "new", id: "key", submit: "Create the key") {
                    form in
                    form.text(
                        "name", "Name", nil, hint: "It says who or what uses the key. The audit trail shows it.",
                        isRequired: true)
                    form.choice(
                        "role", "Role",
                        [("read", "read: may look at everything"), ("write", "write: may change everything")],
                        selected: "read")
                    form.text(
                        "expires_at", "Expires", nil,
                        hint: "A time such as 2027-01-31T00:00:00Z. Empty: with your own key, or never.")
                }
            }
        }
    }

    @Sendable private static func create(_ console: ConsoleAppContext, _ form: FormBody) async throws -> FormOutcome {
        let expiry = try form.filled("expires_at").map { text throws(Refusal) in
            guard let time = Timestamp(rfc3339: text) else {
                throw Refusal.invalidField("expires_at", "must be a time such as 2027-01-01T12:00:00Z")
            }
            return time
        }
        let (key, secret) = try await console.service.managementKeys.create(
            name: form.text("name") ?? "", app: console.app.id, role: form.choice("role", ManagementKey.Role.allCases),
            expiresAt: expiry, by: console.context.key)
        return .page(secretPage(key, secret, console))
    }

    /// The only page that shows a secret.
    static func secretPage(_ key: ManagementKey, _ secret: String, _ console: ConsoleAppContext) -> Page {
        Page("Your new management key", app: console.app, section: .keys, parent: ("Keys", console.path / "keys")) {
            H.section(.class("card")) {
                H.p(.class("message warn")) {
                    "Copy the key now. The service stores only its hash, so no page can show it again."
                }
                H.code(.class("secret")) { secret }
                Format.values([
                    "Name": Format.text(key.name), "Role": Format.badge(key.role.rawValue),
                    "Expires": Format.time(key.expiresAt, or: "never"),
                ])
                H.div(.class("actions")) { Link.button("I have copied the key", console.path / "keys", "primary") }
            }
        }
    }
}

/// Rotations and revocations of keys. A page says first what will happen.
private enum KeyConfirmations {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/keys/:key_id/rotate", showRotation)
        routes.appForm("/keys/:key_id/rotate", confirming: ConsoleRoutes.always, on: showRotation) { console, _ in
            let (key, secret) = try await console.service.managementKeys.rotate(
                id: console.parameter("key_id"), of: console.app.id, by: console.context.key)
            return .page(KeysPage.secretPage(key, secret, console))
        }
        routes.appPage("/keys/:key_id/revoke", showRevocation)
        routes.appForm("/keys/:key_id/revoke", confirming: ConsoleRoutes.always, on: showRevocation) { console, _ in
            try await console.service.managementKeys.revoke(id: console.parameter("key_id"), of: console.app.id)
            return .redirect(console.path / "keys", .revoked)
        }
        routes.appPage("/signing-keys/rotate", showSigningRotation)
        routes.appForm(
            "/signing-keys/rotate", confirming: isEmergency, on: showSigningRotation
        ) { console, form in
            let purpose = try form.choice("purpose", StoredSigningKey.Purpose.allCases)
            let decision = try await console.service.signingKeys.rotate(
                purpose, of: console.app.id, reason: form.isChecked("emergency") ? .emergency : .request)
            return .redirect(console.path / "keys", decision.isEmpty ? .published : .rotated)
        }
    }

    @Sendable private static func isEmergency(_ form: FormBody) -> Bool { form.isChecked("emergency") }

    private static func key(_ console: ConsoleAppContext) async throws -> ManagementKey {
        let keys = try await console.service.managementKeys.all(of: console.app.id)
        guard let key = keys.first(where: { $0.id == console.parameter("key_id") }) else {
            throw Refusal.notFound("there is no such management key")
        }
        return key
    }

    @Sendable private static func showRotation(_ console: ConsoleAppContext) async throws -> Page {
        let key = try await key(console)
        return page("Rotate the key", console) {
            ConfirmPage.content(
                console.context, console.path / "keys" / key.id / "rotate",
                consequences: [
                    "“\(key.name)” gets a new value, which the next page shows once.",
                    "The old value is invalid at once: what uses it must get the new one.",
                    "Keys that it has created stay valid.",
                    "Operators who are signed in to the console with it are signed out.", "No user notices it.",
                ], submit: "Rotate the key", back: console.path / "keys")
        }
    }

    @Sendable private static func showRevocation(_ console: ConsoleAppContext) async throws -> Page {
        let key = try await key(console)
        let keys = try await console.service.managementKeys.all(of: console.app.id)
        let created = ManagementKeyTree(keys).descendants(of: key.id).subtracting([key.id])
        let names = keys.filter { created.contains($0.id) }.map { "“\($0.name)”" }.joined(separator: ", ")
        return page("Revoke the key", console) {
            ConfirmPage.content(
                console.context, console.path / "keys" / key.id / "revoke",
                consequences: [
                    "“\(key.name)” is invalid at once: what uses it can no longer manage the app.",
                    created.isEmpty
                        ? "It has created no other keys."
                        : "\(Format.count(created.count, "key")) that it has created \(created.count == 1 ? "is" : "are") "
                            + "invalid, too: \(names).",
                    "Operators who are signed in to the console with it are signed out.", "No user notices it.",
                    "This cannot be undone.",
                ], submit: "Revoke the key", back: console.path / "keys")
        }
    }

    @Sendable private static func showSigningRotation(_ console: ConsoleAppContext) async throws -> Page {
        let affected = try await AffectedUsers.all(console)
        return page("Rotate signing keys", console) {
            ConfirmPage.content(
                console.context, console.path / "signing-keys" / "rotate",
                consequences: [
                    "A new key is published now, and signs when every backend has had time to fetch it.",
                    "The old key stays published until everything that it has signed has expired. No user notices it.",
                    "In an emergency the new key signs at once and the old ones are removed, so what they have signed is "
                        + "invalid. \(affected) None is signed out.",
                    "access, in an emergency: backends reject the access tokens of all signed-in users until their "
                        + "clients have refreshed them.",
                    "challenge, in an emergency: users begin their logins and step-ups again.",
                    "hook, in an emergency: your backend rejects hooks and webhooks until it has fetched the new key. "
                        + "Webhooks are sent again.",
                ], submit: "Rotate", back: console.path / "keys"
            ) { form in
                form.choice(
                    "purpose", "Purpose",
                    [
                        ("access", "access: access tokens"), ("challenge", "challenge: tokens of logins and step-ups"),
                        ("hook", "hook: hooks and webhooks"),
                    ], selected: "access")
                form.checkbox(
                    "emergency", "Emergency", false, hint: "Only if a key has leaked.")
            }
        }
    }

    private static func page(_ title: String, _ console: ConsoleAppContext, content: () -> HTML) -> Page {
        Page(title, app: console.app, section: .keys, parent: ("Keys", console.path / "keys")) { content() }
    }
}
