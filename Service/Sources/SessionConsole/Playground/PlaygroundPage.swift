import CEmbeddedFiles
import SessionDomain
import SessionHTTP
import SessionTokens

/// The page on which an operator signs a user of the app in with the browser client, and sees each call.
///
/// The client needs no right of the operator: it can do what every page of the app can. The forms allow the origin of the
/// console at the app, and remove it.
enum PlaygroundPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/playground", show)
        routes.appForm("/playground/allow", on: show, allow)
        routes.appForm("/playground/disallow", on: show, disallow)
    }

    @Sendable static func show(_ console: ConsoleAppContext) async throws -> Page {
        let target = try await PlaygroundTarget(console)
        let isRemovable = target.map { $0.isAllowed && !$0.isOwn } ?? false
        let removal = isRemovable ? permission(console, try await AffectedUsers.all(console)) : .empty
        var page = Page("Playground", app: console.app, section: .playground) {
            H.p(.class("lead")) {
                "Sign a user of this app in with the browser client, and see each request, its proof, its answer, and "
                "the Swift that does the same."
            }
            if let target {
                if target.isReady { PlaygroundPanels.html(console, target) } else { setup(console, target) }
                removal
            } else {
                Format.empty(
                    "No address leads to this app",
                    "Add a domain to the app, or give the service a --public-url that contains {app_id}.",
                    Link.button("Settings of the app", console.path / "settings"))
            }
        }
        if let target, target.isReady {
            page.script = .calling(target.origin, asset: PlaygroundScripts.main)
        }
        return page
    }

    private static func setup(_ console: ConsoleAppContext, _ target: PlaygroundTarget) -> HTML {
        let origin = console.context.origin ?? ""
        return Format.card("Allow the console to call this app") {
            H.p {
                "The playground runs in your browser. It calls the app at "
                H.code { target.origin }
                " from a page of "
                H.code { origin }
                ". The app does not allow pages of this origin yet."
            }
            H.ul(.class("bullets")) {
                H.li { "A page of an allowed origin can use the session of every user who visits it." }
                if !console.context.isSecure {
                    H.li {
                        "Every program of your computer can serve pages of this origin. Remove it when you are done."
                    }
                }
                if console.app.allowedOrigins.isEmpty {
                    H.li { "It is the app's first one. With it, browsers send the app's cookies across sites." }
                }
                H.li {
                    "The browser must keep the app's cookies for this page. It does if both hosts have the same "
                    "registrable domain, such as example.com."
                }
            }
            if console.context.canWrite {
                FormView.form(
                    console.context, console.path / "playground" / "allow", id: "allow", submit: "Allow \(origin)"
                )
            } else {
                H.p(.class("hint")) { "Only an admin can allow it." }
            }
        }
    }

    /// - Parameter affected: How many users the app has.
    private static func permission(_ console: ConsoleAppContext, _ affected: String) -> HTML {
        Format.card("The console's origin is allowed") {
            H.p {
                "Pages of "
                H.code { console.context.origin ?? "" }
                " may call this app. Remove the origin when you do not use the playground any more: these pages can then "
                "neither sign users in nor refresh. Users of other pages notice nothing, and no session ends. "
                affected
            }
            if console.context.canWrite {
                FormView.form(
                    console.context, console.path / "playground" / "disallow", id: "disallow",
                    submit: "Remove the origin",
                    style: "danger")
            }
        }
    }

    @Sendable private static func allow(_ console: ConsoleAppContext, _ form: FormBody) async throws -> FormOutcome {
        try await change(console, isAllowed: true)
    }

    @Sendable private static func disallow(_ console: ConsoleAppContext, _ form: FormBody) async throws -> FormOutcome {
        try await change(console, isAllowed: false)
    }

    private static func change(_ console: ConsoleAppContext, isAllowed: Bool) async throws -> FormOutcome {
        guard let own = console.context.origin else { throw Refusal.invalidField("allowed_origins", "has no origin") }
        try await console.service.apps.setOrigin(own, isAllowed: isAllowed, of: console.app.id)
        return .redirect(console.path / "playground", .saved)
    }
}

/// The origin at which the playground calls an app, and whether a page of the console may.
struct PlaygroundTarget {
    let origin: String
    /// Whether console and app have the same origin, as in development mode. Then nothing needs to be allowed.
    let isOwn: Bool
    /// Whether the app lists the console's origin.
    let isAllowed: Bool

    var isReady: Bool { isOwn || isAllowed }

    /// Prefers the origin of the console, then the app's main origin.
    ///
    /// - Returns: `nil` if no origin of the service leads to this app.
    init?(_ console: ConsoleAppContext) async throws {
        let directory = console.service.directory
        let app = try await directory.app(console.app.id)
        let origins = app.origins.origins(of: console.app).compactMap { TargetURI($0)?.origin }
        let own = console.context.origin
        var found: String?
        for origin in origins.filter({ $0 == own }) + origins where found == nil {
            let host = String(origin[(origin.firstRange(of: "://")?.upperBound ?? origin.startIndex)...])
            if (try? await directory.app(host: host))?.settings.id == console.app.id { found = origin }
        }
        guard let found else { return nil }
        origin = found
        isOwn = found == own
        isAllowed = own.map { console.app.allowedOrigins.contains($0) } ?? false
    }
}

/// The modules of the playground. Their paths contain hashes, so each import names the path of the imported module.
enum PlaygroundScripts {
    /// What the page loads.
    static let main: Asset = all[all.count - 1]

    /// Each module follows those that it imports.
    static let all: [Asset] = {
        let sources: [(name: String, bytes: [UInt8])] = [
            ("prelude-session.js", WebClientModule.bytes), ("tokens.js", [UInt8](cembedded_tokens_js())),
            ("members.js", [UInt8](cembedded_members_js())), ("fields.js", [UInt8](cembedded_fields_js())),
            ("calls.js", [UInt8](cembedded_calls_js())), ("playground.js", [UInt8](cembedded_playground_js())),
        ]
        var modules: [(name: String, asset: Asset)] = []
        for source in sources {
            let text = modules.reduce(String(decoding: source.bytes, as: UTF8.self)) { text, module in
                text.replacing("\"./\(module.name)\"", with: "\"./\(module.asset.fileName)\"")
            }
            modules.append((source.name, Asset("text/javascript; charset=utf-8", end: ".js", text)))
        }
        return modules.map(\.asset)
    }()
}
