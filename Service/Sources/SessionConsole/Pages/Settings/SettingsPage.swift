import SessionDomain

/// The settings of the app itself.
enum SettingsPage {
    static let page = SettingsGroupPage<App>(
        title: "Settings", path: "settings", section: .settings, confirm: "Save these settings",
        consequences: { next, stored, _ in AppConsequences.of(next, replacing: stored) },
        hidden: { $0.visit.isForAllApps ? [] : ["domains"] },
        more: { visit in
            Show.card("This app") {
                Show.values(["Id": Show.code(visit.app.id.rawValue), "Created": Show.time(visit.app.createdAt)])
            }
        })
}
