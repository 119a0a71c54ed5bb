import SessionDomain

/// The texts of the messages of an app, and the settings of all of them.
enum TemplatesPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/templates", show)
        routes.appForm("/templates", on: show) { visit, form in
            _ = try await visit.service.templates.change(
                MessageSettingsChange(
                    defaultLocale: form.filled("default_locale"), autofillHost: form.filled("autofill_host"),
                    androidAppHash: form.filled("android_app_hash")), app: visit.app.id)
            return .redirect(visit.path / "templates", .saved)
        }
        NewTemplatePage.add(to: routes)
        TemplatePage.add(to: routes)
    }

    private static let everything = ("", "All")

    @Sendable static func show(_ visit: AppVisit) async throws -> Page {
        let all = try await visit.service.templates.templates(of: visit.app.id)
        let query = visit.visit.query
        let found = all.filter { listed in
            (query.filled("channel") ?? listed.template.channel.rawValue) == listed.template.channel.rawValue
                && (query.filled("purpose") ?? listed.template.purpose.rawValue) == listed.template.purpose.rawValue
                && (query.filled("locale") ?? listed.template.locale.tag) == listed.template.locale.tag
        }
        return Page("Templates", app: visit.app, section: .templates) {
            H.p(.class("lead")) {
                "What messages to users say, by channel, purpose and language. Your own text takes the place of the "
                "built-in one."
            }
            filter(all, visit)
            if found.isEmpty {
                Show.empty(
                    "No template matches", "Change the filters, or show all templates.",
                    Link.button("Show all", visit.path / "templates"))
            } else {
                list(found, visit)
            }
            settings(visit)
        }
    }

    private static func filter(_ all: [ListedTemplate], _ visit: AppVisit) -> HTML {
        let languages = Set(all.map(\.template.locale.tag)).sorted()
        return H.section(.class("card")) {
            H.form(.methodGet, .action(visit.path / "templates"), .role("search"), .aria(label: "Filters")) {
                H.div(.class("row")) {
                    choice("channel", "Channel", OTPLoginConfig.Channel.allCases.map { ($0.rawValue, $0.title) }, visit)
                    choice("purpose", "Purpose", TemplatePurpose.allCases.map { ($0.rawValue, $0.title) }, visit)
                    choice("locale", "Language", languages.map { ($0, $0) }, visit)
                    H.div(.class("actions")) { H.button(.type("submit"), .class("primary")) { "Filter" } }
                }
            }
        }
    }

    private static func choice(
        _ name: String, _ label: String, _ options: [(value: String, label: String)], _ visit: AppVisit
    ) -> HTML {
        H.div(.class("field")) {
            H.label(.for("filter-" + name)) { label }
            H.select(.id("filter-" + name), .name(name)) {
                for option in [everything] + options {
                    H.option(
                        .value(option.0), option.0 == visit.visit.query.filled(name) ?? "" ? .selected : nil
                    ) { option.1 }
                }
            }
        }
    }

    private static func list(_ templates: [ListedTemplate], _ visit: AppVisit) -> HTML {
        TableView.html(
            "Templates", columns: ["Message", "Channel", "Language", "Text", "Begins with"],
            templates.map { listed in
                let template = listed.template
                return TableView.Row(
                    H.a(.href(visit.path(of: template))) {
                        template.purpose.title
                        H.span(.class("hidden")) { ", \(template.channel.noun), \(template.locale.tag)" }
                    },
                    HTML(escaping: template.channel.title), Show.code(template.locale.tag),
                    listed.isBuiltIn ? Show.badge("built-in") : Show.badge("your own", "good"),
                    Show.text(String((template.subject ?? template.text).prefix(60))))
            },
            action: visit.visit.canWrite
                ? Link.button("Write a template", visit.path / "templates" / "new", "primary") : nil)
    }

    private static func settings(_ visit: AppVisit) -> HTML {
        let messages = visit.app.messages
        return Show.card("Settings of all messages") {
            FormView.form(
                visit.visit, visit.path / "templates", id: "messages", submit: "Save the settings", replacing: visit.app
            ) { form in
                form.text(
                    "default_locale", "Language of users whose languages have no template", messages.defaultLocale.tag,
                    hint: "A language tag, such as en or pt-BR.")
                form.text(
                    "autofill_host", "Host that codes in SMS are bound to", messages.autofillHost,
                    hint:
                        "Such as example.com. iOS and browsers then offer the code on this host only. Empty: everywhere."
                )
                form.text(
                    "android_app_hash", "Hash of the Android app", messages.androidAppHash,
                    hint: "The 11 characters by which Android's SMS Retriever finds the app. Empty: no hash.")
            }
        }
    }
}

extension TemplatePurpose {
    var title: String {
        switch self {
        case .signIn: "Code to sign in"
        case .stepUp: "Code of a step-up"
        case .newIdentifier: "Code for a new identifier"
        case .newDevice: "Notice of a new device"
        case .identifierAdded: "Notice of an added identifier"
        case .identifierRemoved: "Notice of a removed identifier"
        case .passwordChanged: "Notice of a new password"
        case .sessionsEnded: "Notice of an ended session"
        }
    }
}

extension AppVisit {
    func path(of template: MessageTemplate) -> ConsolePath {
        path / "templates" / template.channel.rawValue / template.purpose.rawValue / template.locale.tag
    }
}
