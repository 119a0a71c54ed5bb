import SessionDomain

/// Rotations and revocations of keys. A page says first what will happen.
enum KeyConfirmations {
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
