import Foundation
import Hummingbird
import SessionDomain
import SessionHTTP
import SessionTokens

/// One user: identifiers, status, profile, and the sessions.
enum UserPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/users/:user_id", show)
        routes.appFile("/users/:user_id/export") { console in
            try .file(of: try await console.service.exports.user(console.userID, app: console.app.id))
        }
        UserChanges.add(to: routes)
        UserConfirmations.add(to: routes)
        UserPasskeys.add(to: routes)
    }

    @Sendable static func show(_ console: ConsoleAppContext) async throws -> Page {
        let user = try await console.user
        let path = console.path / "users" / user.id
        let sessions = try await UserSessions(of: user, path: path, console)
        let passkeys = try await console.service.users.passkeys(of: user.id, app: console.app.id)
        let limits = try await reachedLimits(of: user, console)
        var page = Page(
            user.identifiers.first?.value ?? user.id, app: console.app, section: .users,
            parent: ("Users", console.path / "users")
        ) {
            H.div(.class("columns")) {
                account(user, path, console)
                identifiers(user, path, console)
                ProfileForm.html(user, path, console)
            }
            if !limits.isEmpty { refused(limits, path, console) }
            sessions.html()
            if !passkeys.isEmpty { UserPasskeys.table(passkeys, path, console) }
            if console.context.canSupport { password(user, path, console) }
            H.p { H.a(.href((console.path / "events").query(["user_id": user.id]))) { "All events of this user" } }
            Format.card("Export") {
                H.p {
                    "A JSON file with everything that is stored about this user, without secrets: account, identifiers, "
                    "profile, sessions, grants, limits and events. The download is an event itself."
                }
                H.div(.class("actions")) { Link.button("Export the user", path / "export") }
            }
        }
        if sessions.problem != nil { page.status = .badRequest }
        return page
    }

    /// The events of limits that refuse calls of the user, or of strangers at an identifier of the user, now.
    private static func reachedLimits(of user: User, _ console: ConsoleAppContext) async throws -> [Event] {
        let query = EventQuery(
            app: console.app.id, user: user.id, name: .exactly(Event.Name.loginLimited.rawValue), limit: 20)
        let now = console.service.environment.now().rfc3339
        return try await console.service.store.events(query)?.filter {
            $0.data["retry_at"]?.stringValue.map { $0 > now } ?? false
        } ?? []
    }

    private static func refused(_ events: [Event], _ path: ConsolePath, _ console: ConsoleAppContext) -> HTML {
        Format.card("Refused now") {
            H.p {
                "These limits are reached. Calls by devices that the user has signed in on are not affected by strangers."
            }
            H.ul(.class("entries")) {
                for event in events {
                    H.li {
                        Format.code(event.data["limit"]?.stringValue ?? "")
                        H.span(.class("hint")) {
                            " until " + (event.data["retry_at"]?.stringValue ?? "")
                            event.data["setting"]?.stringValue.map { ", setting " + $0 } ?? ""
                        }
                    }
                }
            }
        }
    }

    private static func account(_ user: User, _ path: ConsolePath, _ console: ConsoleAppContext) -> HTML {
        Format.card("Account") {
            Format.values([
                "Status": Format.status(user.status), "User id": Format.code(user.id),
                "External id": Format.text(user.externalID), "Created": Format.time(user.createdAt),
                "Changed": Format.time(user.updatedAt), "Language": Format.text(user.locale),
            ])
            if console.context.canSupport {
                FormView.form(
                    console.context, path / "external-id", for: .support, id: "external", submit: "Save", style: ""
                ) { form in
                    form.text(
                        "external_id", "External id", user.externalID,
                        hint: "The id of the user in your own systems. Empty removes it.")
                }
                H.div(.class("actions")) {
                    for status in User.Status.allCases where status != user.status {
                        Link.button(
                            title(of: status), (path / "status").query(["to": status.rawValue]),
                            status == .suspended ? "small danger" : "small")
                    }
                    if console.context.canWrite { Link.button("Delete", path / "delete", "small danger") }
                }
            }
        }
    }

    static func title(of status: User.Status) -> String {
        switch status {
        case .active: "Activate"
        case .inactive: "Deactivate"
        case .suspended: "Suspend"
        }
    }

    private static func identifiers(_ user: User, _ path: ConsolePath, _ console: ConsoleAppContext) -> HTML {
        Format.card("Identifiers") {
            if user.identifiers.isEmpty {
                H.p(.class("none")) {
                    user.hasPasskey && console.app.acceptsPasskeys
                        ? "The user signs in with a passkey only." : "The user cannot sign in without an identifier."
                }
            }
            H.ul(.class("entries")) {
                for identifier in user.identifiers {
                    H.li {
                        H.bdi { identifier.value }
                        if let held = user.heldUntil[identifier] {
                            H.span(.class("hint")) {
                                " held until "
                                Format.time(held)
                            }
                        }
                        if console.context.canSupport {
                            Link.button(
                                "Remove",
                                (path / "identifiers" / "remove").query([
                                    "type": identifier.type.rawValue, "value": identifier.value,
                                ]), "small danger", label: "Remove " + identifier.value)
                        }
                    }
                }
            }
            if console.context.canSupport {
                FormView.form(
                    console.context, path / "identifiers", for: .support, id: "identifier",
                    submit: "Add the identifier",
                    style: ""
                ) { form in
                    form.text(
                        "identifier", "New e-mail address or phone number", nil,
                        hint: "A phone number begins with + and the country code.")
                }
            }
        }
    }

    private static func password(_ user: User, _ path: ConsolePath, _ console: ConsoleAppContext) -> HTML {
        Format.card("Password and limits") {
            H.p {
                user.hasPassword ? "The user has a password." : "The user has no password."
                user.hasPasskey ? " The user has a passkey." : " The user has no passkey."
            }
            FormView.form(
                console.context, path / "password", for: .support, id: "password", submit: "Set the password", style: ""
            ) { form in
                form.text(
                    "password", "New password", nil, type: "password", autocomplete: "new-password", isRequired: true)
                form.checkbox(
                    "revoke_sessions", "End all sessions of the user", true,
                    hint: "Otherwise they stay. Logins that have begun end in both cases.")
            }
            FormView.form(
                console.context, path / "limits", for: .support, id: "limits", submit: "Set the limits back", style: ""
            ) { _ in
                H.p(.class("hint")) {
                    "Opens an identifier that is closed after too many wrong codes or passwords."
                }
            }
        }
    }
}

extension ConsoleAppContext {
    /// The user of the path.
    var user: User {
        get async throws { try await service.users.user(context.parameter("user_id"), app: app.id) }
    }
}

/// How many users an app has. Apps with many users are counted only when an operator asks for it.
enum UserFigures {
    /// The parameter of an app's page that asks for the whole count.
    private static let countField = "count"

    static func total(_ counts: UserCounts) -> String {
        counts.isComplete ? String(counts.total) : "\(UserCounts.bound) or more"
    }

    static func suspended(_ counts: UserCounts) -> String {
        String(counts[.suspended]) + (counts.isComplete ? "" : " of the newest \(counts.total)")
    }

    /// The figures of an app's page.
    static func html(_ console: ConsoleAppContext) async throws -> HTML {
        let counts = try await console.service.users.counts(app: console.app.id)
        if counts.isComplete { return figures { counts[$0] } }
        guard console.context.query.text(countField) == "all" else {
            return Format.card("\(UserCounts.bound) users or more") {
                H.p {
                    let parts = User.Status.allCases.map { "\(counts[$0]) are \($0.rawValue)" }
                    "Of the newest \(counts.total), " + parts.joined(separator: ", ") + "."
                }
                H.div(.class("actions")) {
                    Link.button("Count all users", console.path.query([countField: "all"]))
                    H.span(.class("hint")) { "It can take seconds." }
                }
            }
        }
        var all: [User.Status: Int] = [:]
        for status in User.Status.allCases {
            all[status] =
                try await console.service.users.users(app: console.app.id, status: status, limit: 1).total ?? 0
        }
        return figures { all[$0] ?? 0 }
    }

    private static func figures(_ count: (User.Status) -> Int) -> HTML {
        Format.figures([
            "Active users": count(.active), "Inactive users": count(.inactive), "Suspended users": count(.suspended),
        ])
    }
}

/// The profile of a user: its values, and a form that sets one of them without a change of its type.
enum ProfileForm {
    /// What an entered value is.
    private enum Kind: String, CaseIterable {
        /// The type of the stored value. A new value is a text.
        case stored, text, json

        var title: String {
            switch self {
            case .stored: "As the value that is stored; a new one is a text"
            case .text: "Text"
            case .json: "Number, yes or no, JSON"
            }
        }
    }

    static func html(_ user: User, _ path: ConsolePath, _ console: ConsoleAppContext) -> HTML {
        Format.card("Profile") {
            if user.profile.isEmpty {
                H.p(.class("hint")) { "The profile is empty. Its values can be mapped to claims of access tokens." }
            } else {
                H.dl(.class("values")) {
                    for (key, value) in user.profile.sorted(by: { $0.key < $1.key }) {
                        H.dt { H.bdi { key } }
                        H.dd {
                            H.bdi {
                                value.stringValue.map { HTML(escaping: $0) } ?? Format.code(JSONText.pretty(value))
                            }
                        }
                    }
                }
            }
            if console.context.canSupport {
                FormView.form(
                    console.context, path / "profile", for: .support, id: "profile", submit: "Save the value", style: ""
                ) { form in
                    form.text("key", "Name of the value", nil, isRequired: true)
                    form.choice(
                        "kind", "Kind of the value", Kind.allCases.map { ($0.rawValue, $0.title) },
                        selected: Kind.stored.rawValue, hint: "Yes is true, and no is false.")
                    form.text("value", "Value", nil, hint: "Empty removes the value.")
                }
            }
        }
    }

    /// The value of the form, for the key that it names. An empty one is null, which removes the key.
    static func value(_ form: FormBody, replacing stored: JSONValue?) throws(Refusal) -> JSONValue {
        guard let entered = form.text("value"), !entered.isEmpty else { return .null }
        let kind: Kind = try form.text("kind") == nil ? .stored : form.choice("kind", Kind.allCases)
        let isText = kind == .text || kind == .stored && (stored == nil || stored?.stringValue != nil)
        if isText { return .string(entered) }
        guard let json = try? TokenJSON.decode(JSONValue.self, from: Data(entered.utf8)) else {
            throw .invalidField("value", "must be JSON, such as 3, true or [1, 2]")
        }
        guard json != .null else { throw .invalidField("value", "must not be null; leave it empty to remove it") }
        if kind == .stored, let stored, !hasSameType(json, stored) {
            throw .invalidField("value", "must have the type of the stored value; or choose another kind")
        }
        return json
    }

    private static func hasSameType(_ first: JSONValue, _ second: JSONValue) -> Bool {
        switch (first, second) {
        case (.bool, .bool), (.int, .int), (.int, .double), (.double, .int), (.double, .double), (.array, .array),
            (.object, .object):
            true
        default: false
        }
    }
}
