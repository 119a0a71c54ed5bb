import SessionDomain

/// What all pages have: head, header, navigation, messages, and the landmark of the content.
enum Frame {
    static let mark = H.span(.class("mark"), .ariaHidden) { "P" }

    static func document(
        title: String, style: String = "", script: Asset? = nil, @HTMLBuilder content: () -> HTML
    ) -> HTML {
        H.html(.lang("en")) {
            H.head {
                H.meta(.charset("utf-8"))
                H.meta(.name("viewport"), .content("width=device-width, initial-scale=1"))
                H.meta(.name("robots"), .content("noindex"))
                H.title { title + " – Prelude Session" }
                H.link(.rel("stylesheet"), .href(Asset.stylesheet.path))
                H.link(.rel("icon"), .href(Asset.icon.path))
                if let script { H.script(.type("module"), .src(script.path)) {} }
            }
            H.body(style.isEmpty ? nil : .class(style)) { content() }
        }
    }

    static func html(_ page: Page, of console: ConsoleContext) -> HTML {
        let place = page.app.map { page.title + " – " + $0.name } ?? page.title
        return document(title: (page.problem == nil ? "" : "Error: ") + place, script: page.script?.asset) {
            H.a(.class("skip"), .href(id: "content")) { "Skip to the content" }
            top(page, console)
            if let app = page.app { navigation(app, page) }
            H.main(.id("content"), .class("page"), .tabIndex(-1)) {
                if let parent = page.parent {
                    H.p(.class("crumb")) { H.a(.href(parent.path)) { "← " + parent.title } }
                }
                H.h1 { H.bdi { page.title } }
                if let done = console.done, page.problem == nil {
                    H.p(.class("message"), .role("status")) { done.message }
                }
                if let problem = page.problem { summary(problem, page) }
                page.content
            }
        }
    }

    private static func top(_ page: Page, _ console: ConsoleContext) -> HTML {
        H.header(.class("top")) {
            H.div {
                H.a(.class("brand"), .href(.home)) {
                    mark
                    "Prelude Session"
                }
                H.nav(.class("places"), .aria(label: "Service")) {
                    if console.isForAllApps {
                        link("Apps", .home, page.app == nil && page.title == "Apps")
                        link("Service events", .events, page.title == "Service events")
                        link("Operators", .operators, page.title == "Operators")
                    }
                    if console.mailbox != nil { link("Mailbox", .mailbox, page.title == "Mailbox") }
                    if console.isForAllApps { link("Activity", .activity, page.title == ActivityPage.title) }
                    link("API", .api, page.title == APIPage.title || page.parent?.path == .api)
                }
                H.div(.class("operator")) {
                    H.span { signedIn(console) }
                    H.form(.methodPost, .action(.signOut), .class("inline")) {
                        H.input(.type("hidden"), .name(ConsoleContext.tokenField), .value(console.session.formToken))
                        H.button(.type("submit"), .class("small")) { "Sign out" }
                    }
                }
            }
        }
    }

    private static func signedIn(_ console: ConsoleContext) -> HTML {
        HTML(joining: [
            H.span(.class("hidden")) {
                console.principal.operator == nil ? "Signed in with the management key " : "Signed in as "
            },
            H.a(.href(.account)) { H.bdi { console.principal.name } },
            console.principal.operator == nil
                ? HTML(escaping: console.canWrite ? "" : " (read only)")
                : HTML(escaping: " (\(console.principal.role.rawValue))"),
        ])
    }

    private static func link(_ title: String, _ path: ConsolePath, _ isCurrent: Bool) -> HTML {
        H.a(.href(path), isCurrent ? .aria(current: "page") : nil) { title }
    }

    private static func navigation(_ app: App, _ page: Page) -> HTML {
        H.div(.class("app")) {
            H.nav(.aria(label: "App")) {
                H.p {
                    H.strong { H.bdi { app.name } }
                    " "
                    H.span(.class("mono")) { app.id.rawValue }
                }
                H.ul {
                    for section in Page.Section.allCases {
                        H.li { link(section.title, section.path(of: app), section == page.section) }
                    }
                }
            }
        }
    }

    /// The message as it is at the field, with the field's label. One about no field of the page is as the service says it.
    private static func summary(_ problem: Problem, _ page: Page) -> HTML {
        H.div(.class("message bad"), .role("alert")) {
            H.p {
                H.strong { "Nothing was changed. " }
                page.content.first("p", class: "error") ?? HTML(escaping: problem.message(label: nil))
            }
        }
    }
}
