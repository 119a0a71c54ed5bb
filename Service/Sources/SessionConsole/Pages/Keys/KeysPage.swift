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
