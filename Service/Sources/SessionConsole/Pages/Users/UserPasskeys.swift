import Foundation
import SessionDomain

/// The passkeys on the page of a user, and the page on which one is deleted.
enum UserPasskeys {
    static func add(to routes: ConsoleRoutes) {
        let deletion = "/users/:user_id/passkeys/:credential_id/remove"
        routes.appPage(deletion, showDeletion)
        routes.appForm(deletion, for: .support, on: showDeletion) { console, _ in
            try await console.service.users.deletePasskey(
                console.parameter("credential_id"), of: console.userID, app: console.app.id)
            return console.backToUser(.deleted)
        }
    }

    /// - Parameter path: The path of the user.
    static func table(_ passkeys: [Passkey], _ path: ConsolePath, _ console: ConsoleAppContext) -> HTML {
        let columns = ["Name", "Model (AAGUID)", "Backed up", "Created", "Last used", "Id"]
        let canDelete = console.context.canSupport
        return TableView.html(
            "Passkeys", columns: columns + (canDelete ? ["Action"] : []),
            passkeys.map { passkey in
                let facts = [
                    model(of: passkey), HTML(escaping: passkey.isBackedUp ? "yes" : "no"),
                    Format.time(passkey.createdAt), Format.time(passkey.lastUsedAt, or: "never"),
                    Format.code(shortened(passkey.id)),
                ]
                let action = Link.button(
                    "Delete", path / "passkeys" / passkey.id / "remove", "small danger",
                    label: "Delete the passkey " + name(of: passkey))
                let isVoid = console.app.passkeys.map { !$0.accepts(passkey) } ?? false
                let head = HTML(joining: [
                    H.bdi { passkey.nickname ?? "no name" },
                    isVoid ? H.span(.class("hint")) { " void, it is for " + passkey.relyingPartyID } : .empty,
                ])
                return TableView.Row(head: head, cells: facts + (canDelete ? [action] : []))
            })
    }

    /// The AAGUID. Zeros say nothing about the model.
    private static func model(of passkey: Passkey) -> HTML {
        guard passkey.aaguid.contains(where: { $0 != 0 }) else { return Format.none }
        return Passkey.model(passkey.aaguid).map(Format.code) ?? Format.none
    }

    /// A credential id can have more than a thousand characters.
    private static func shortened(_ id: String) -> String { id.count > 16 ? id.prefix(16) + "…" : id }

    /// Names a passkey in a sentence.
    private static func name(of passkey: Passkey) -> String {
        passkey.nickname.map { "“\($0)”" } ?? "without a name, \(shortened(passkey.id))"
    }

    @Sendable private static func showDeletion(_ console: ConsoleAppContext) async throws -> Page {
        let user = try await console.user
        let passkeys = try await console.service.users.passkeys(of: user.id, app: console.app.id)
        guard let deleted = passkeys.first(where: { $0.id == console.parameter("credential_id") }) else {
            throw Refusal.notFound("the user has no such passkey")
        }
        let path = console.path / "users" / user.id
        return Page(
            "Delete the passkey", app: console.app, section: .users,
            parent: (user.identifiers.first?.value ?? user.id, path)
        ) {
            ConfirmPage.content(
                console.context, path / "passkeys" / deleted.id / "remove", for: .support,
                consequences: [
                    "1 passkey of 1 user is deleted: \(name(of: deleted)). Its device or password manager still shows it, and "
                        + "it is not valid any more.",
                    rest(of: user, others: passkeys.count - 1, console.app),
                    "Sessions stay. Logins and step-ups that have begun are invalid.",
                    "This cannot be undone. The user can register a new passkey.",
                ], submit: "Delete the passkey", back: path)
        }
    }

    /// What the user still has.
    private static func rest(of user: User, others: Int, _ app: App) -> String {
        guard others == 0 else { return "The user has \(Format.count(others, "other passkey"))." }
        if user.identifiers.isEmpty {
            return
                "It is the last passkey, and the user has no identifier: the user cannot sign in any more until you add one."
        }
        let codes = app.passkeys?.codesWithPasskey == false ? " The user gets codes again." : ""
        return "It is the last passkey: the user signs in with \(user.identifiers[0].value) only." + codes
    }
}
