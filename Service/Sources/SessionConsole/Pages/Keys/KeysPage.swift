import SessionDomain

/// The management keys and the signing keys of an app.
enum KeysPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/keys", show)
        routes.appPage("/keys/new", showNew)
        routes.appForm("/keys/new", confirming: ConsoleRoutes.always, on: showNew, create)
        KeyConfirmations.add(to: routes)
    }

    @Sendable static func show(_ visit: AppVisit) async throws -> Page {
        let keys = try await visit.service.managementKeys.all(of: visit.app.id)
        let signing = try await visit.service.signingKeys.all(of: visit.app.id)
        let new = visit.visit.canWrite ? Link.button("Create a key", visit.path / "keys" / "new", "primary") : nil
        return Page("Keys", app: visit.app, section: .keys) {
            if keys.isEmpty {
                Show.empty(
                    "There is no management key of this app",
                    "A management key lets a backend or a colleague manage this app, and no other one.", new)
            } else {
                TableView.html(
                    "Management keys",
                    columns: ["Name", "Role", "Created by", "Created", "Last used", "Expires", "Audit"]
                        + (visit.visit.canWrite ? ["Action"] : []),
                    keys.map { row($0, visit) }, action: new)
            }
            TableView.html(
                "Signing keys", columns: ["Purpose", "State", "Algorithm", "Signs from", "Signs until", "Key id"],
                signing.map { key, state in
                    TableView.Row(
                        HTML(escaping: key.purpose.rawValue),
                        Show.badge(state.rawValue, state == .active ? "good" : state == .pending ? "warn" : ""),
                        HTML(escaping: key.algorithm.rawValue), Show.time(key.activeFrom), Show.time(key.retiresAt),
                        Show.code(key.keyID))
                }, action: visit.visit.canWrite ? Link.button("Rotate", visit.path / "signing-keys" / "rotate") : nil)
        }
    }

    private static func row(_ key: ManagementKey, _ visit: AppVisit) -> TableView.Row {
        let path = visit.path / "keys" / key.id
        let isValid = key.isValid(at: visit.service.environment.now())
        let cells = [
            Show.badge(key.role.rawValue, key.role == .write ? "warn" : ""),
            Show.text(key.createdBy?.publicName.replacing("_", with: " ")), Show.time(key.createdAt),
            Show.time(key.lastUsedAt, or: "never"),
            isValid ? Show.time(key.expiresAt, or: "never") : Show.badge("expired", "bad"),
            Link.audit(of: key.name, (visit.path / "events").query(["actor_id": key.id])),
        ]
        let actions = H.div(.class("actions")) {
            H.a(.class("button small"), .href(path / "rotate"), .aria(label: "Rotate " + key.name)) { "Rotate" }
            H.a(.class("button small danger"), .href(path / "revoke"), .aria(label: "Revoke " + key.name)) { "Revoke" }
        }
        return TableView.Row(
            head: H.bdi { key.name }, cells: cells + (visit.visit.canWrite ? [actions] : []))
    }

    @Sendable private static func showNew(_ visit: AppVisit) async throws -> Page {
        Page("Create a management key", app: visit.app, section: .keys, parent: ("Keys", visit.path / "keys")) {
            H.section(.class("card")) {
                FormView.form(visit.visit, visit.path / "keys" / "new", id: "key", submit: "Create the key") { form in
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

    @Sendable private static func create(_ visit: AppVisit, _ form: FormBody) async throws -> FormOutcome {
        let expiry = try form.filled("expires_at").map { text throws(Refusal) in
            guard let time = Timestamp(rfc3339: text) else {
                throw Refusal.invalidField("expires_at", "must be a time such as 2027-01-01T12:00:00Z")
            }
            return time
        }
        let (key, secret) = try await visit.service.managementKeys.create(
            name: form.text("name") ?? "", app: visit.app.id, role: form.choice("role", ManagementKey.Role.allCases),
            expiresAt: expiry, by: visit.visit.key)
        return .page(secretPage(key, secret, visit))
    }

    /// The only page that shows a secret.
    static func secretPage(_ key: ManagementKey, _ secret: String, _ visit: AppVisit) -> Page {
        Page("Your new management key", app: visit.app, section: .keys, parent: ("Keys", visit.path / "keys")) {
            H.section(.class("card")) {
                H.p(.class("message warn")) {
                    "Copy the key now. The service stores only its hash, so no page can show it again."
                }
                H.code(.class("secret")) { secret }
                Show.values([
                    "Name": Show.text(key.name), "Role": Show.badge(key.role.rawValue),
                    "Expires": Show.time(key.expiresAt, or: "never"),
                ])
                H.div(.class("actions")) { Link.button("I have copied the key", visit.path / "keys", "primary") }
            }
        }
    }
}

/// Rotations and revocations of keys. A page says first what will happen.
private enum KeyConfirmations {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/keys/:key_id/rotate", showRotation)
        routes.appForm("/keys/:key_id/rotate", confirming: ConsoleRoutes.always, on: showRotation) { visit, _ in
            let (key, secret) = try await visit.service.managementKeys.rotate(
                id: visit.parameter("key_id"), of: visit.app.id, by: visit.visit.key)
            return .page(KeysPage.secretPage(key, secret, visit))
        }
        routes.appPage("/keys/:key_id/revoke", showRevocation)
        routes.appForm("/keys/:key_id/revoke", confirming: ConsoleRoutes.always, on: showRevocation) { visit, _ in
            try await visit.service.managementKeys.revoke(id: visit.parameter("key_id"), of: visit.app.id)
            return .redirect(visit.path / "keys", .revoked)
        }
        routes.appPage("/signing-keys/rotate", showSigningRotation)
        routes.appForm(
            "/signing-keys/rotate", confirming: isEmergency, on: showSigningRotation
        ) { visit, form in
            let purpose = try form.choice("purpose", StoredSigningKey.Purpose.allCases)
            let decision = try await visit.service.signingKeys.rotate(
                purpose, of: visit.app.id, reason: form.isChecked("emergency") ? .emergency : .request)
            return .redirect(visit.path / "keys", decision.isEmpty ? .published : .rotated)
        }
    }

    @Sendable private static func isEmergency(_ form: FormBody) -> Bool { form.isChecked("emergency") }

    private static func key(_ visit: AppVisit) async throws -> ManagementKey {
        let keys = try await visit.service.managementKeys.all(of: visit.app.id)
        guard let key = keys.first(where: { $0.id == visit.parameter("key_id") }) else {
            throw Refusal.notFound("there is no such management key")
        }
        return key
    }

    @Sendable private static func showRotation(_ visit: AppVisit) async throws -> Page {
        let key = try await key(visit)
        return page("Rotate the key", visit) {
            ConfirmPage.content(
                visit.visit, visit.path / "keys" / key.id / "rotate",
                consequences: [
                    "“\(key.name)” gets a new value, which the next page shows once.",
                    "The old value is invalid at once: what uses it must get the new one.",
                    "Keys that it has created stay valid.",
                    "Operators who are signed in to the console with it are signed out.", "No user notices it.",
                ], submit: "Rotate the key", back: visit.path / "keys")
        }
    }

    @Sendable private static func showRevocation(_ visit: AppVisit) async throws -> Page {
        let key = try await key(visit)
        let keys = try await visit.service.managementKeys.all(of: visit.app.id)
        let created = ManagementKeyTree(keys).descendants(of: key.id).subtracting([key.id])
        let names = keys.filter { created.contains($0.id) }.map { "“\($0.name)”" }.joined(separator: ", ")
        return page("Revoke the key", visit) {
            ConfirmPage.content(
                visit.visit, visit.path / "keys" / key.id / "revoke",
                consequences: [
                    "“\(key.name)” is invalid at once: what uses it can no longer manage the app.",
                    created.isEmpty
                        ? "It has created no other keys."
                        : "\(Show.count(created.count, "key")) that it has created \(created.count == 1 ? "is" : "are") "
                            + "invalid, too: \(names).",
                    "Operators who are signed in to the console with it are signed out.", "No user notices it.",
                    "This cannot be undone.",
                ], submit: "Revoke the key", back: visit.path / "keys")
        }
    }

    @Sendable private static func showSigningRotation(_ visit: AppVisit) async throws -> Page {
        let affected = try await AffectedUsers.all(visit)
        return page("Rotate signing keys", visit) {
            ConfirmPage.content(
                visit.visit, visit.path / "signing-keys" / "rotate",
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
                ], submit: "Rotate", back: visit.path / "keys"
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

    private static func page(_ title: String, _ visit: AppVisit, content: () -> HTML) -> Page {
        Page(title, app: visit.app, section: .keys, parent: ("Keys", visit.path / "keys")) { content() }
    }
}
