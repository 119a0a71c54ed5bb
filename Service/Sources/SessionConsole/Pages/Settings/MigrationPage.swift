import SessionDomain

/// How users of an earlier system are migrated.
enum MigrationPage {
    static let page = SettingsGroupPage<MigrationConfig>(
        title: "Migration", path: "migration", section: .logins, parent: ("Logins", "logins"),
        lead:
            "Users of an earlier system stay signed in: the app sends their old credential once, your backend says whose "
            + "it is, and the user gets a session here.",
        confirm: "Save the URL",
        consequences: { next, stored, console in
            console.app.migration == nil
                ? [] : consequences(of: next.sessionValidationURL, replacing: stored.sessionValidationURL)
        },
        missing: "Migration is not configured. Save a URL to begin.",
        more: { console in
            guard let config = console.app.migration else { return .empty }
            return Format.card("This configuration") {
                Format.values(["Created": Format.time(config.createdAt), "Changed": Format.time(config.updatedAt)])
            }
        })

    private static func consequences(of url: String, replacing old: String) -> [String] {
        guard old != url else { return [] }
        return [
            "Credentials of the earlier system are sent to \(url) from now on, not to \(old).",
            "Users of the earlier system whose credentials are not known there must sign in again. The service does not know "
                + "how many these are.",
            "Users who were migrated stay signed in.",
        ]
    }
}
