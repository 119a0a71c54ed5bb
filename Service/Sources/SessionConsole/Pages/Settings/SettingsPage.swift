import SessionDomain

/// The settings of the app itself.
enum SettingsPage {
    static let page = SettingsGroupPage<App>(
        title: "Settings", path: "settings", section: .settings, confirm: "Save these settings",
        consequences: { next, stored, _ in AppConsequences.of(next, replacing: stored) },
        hidden: { $0.context.isForAllApps ? [] : ["domains"] },
        more: { console in
            Format.card("This app") {
                Format.values([
                    "Id": Format.code(console.app.id.rawValue), "Created": Format.time(console.app.createdAt),
                ])
            }
        })
}
