import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import Testing

@testable import SessionConsole

@Suite("Roles of operators")
struct RoleTests {
    /// The form of a path without ids: `/users/*/limits` for one of an app.
    private static func shape(_ path: String) -> String {
        path.replacing(ConsoleWorld.app, with: "").replacing(/{[a-z_]+}/, with: "*")
    }

    private static func needed(_ path: String) -> OperatorRole {
        let shape = shape(path)
        if OperatorActions.ofViewer.contains(shape) { return .viewer }
        return OperatorActions.ofSupport.contains(shape) ? .support : .admin
    }

    // Proves: C12
    @Test("Each form needs its role, and a forged one of a lower role gets 403", arguments: OperatorRole.allCases)
    func forms(_ role: OperatorRole) async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.signedIn(role)
        let before = Set(try await world.events().map(\.id))
        #expect(OperatorActions.ofSupport.isSubset(of: Set(ActionTests.actions.map { Self.shape($0.path) })))
        for action in ActionTests.actions where action.path != "/console/sign-out" {
            let path = action.path.replacing(/{[a-z_]+}/, with: "x")
            let answer = try await browser.post(path, action.form)
            if role < Self.needed(action.path) {
                #expect(answer.status == 403, "\(path)")
                #expect(answer.text.contains("this change needs the role"), "\(path)")
            } else {
                #expect(answer.status != 403, "\(path): \(answer.text)")
            }
        }
        if role == .viewer {
            let names = try await world.events().filter { !before.contains($0.id) }.map(\.name)
            #expect(Set(names).isSubset(of: [.passwordChanged, .loginsVoided]))
        }
        #expect(try await browser.post("/console/sign-out").location == "/console/sign-in?done=signedOut")
    }

    // Proves: C12
    @Test("A page shows no form that its operator may not send", arguments: OperatorRole.allCases)
    func pages(_ role: OperatorRole) async throws {
        let world = try await ConsoleWorld()
        let pages = try await PermissionTests.pages(world)
        var (browser, _) = try await world.signedIn(role)
        var seen: Set<String> = []
        for path in pages where path != "/console/sign-in" {
            let answer = try await browser.get(path)
            #expect(answer.status == 200, "\(path): \(answer.text)")
            for form in answer.text.matches(of: /<form method="post" action="([^"]+)"/).map({ String($0.1) }) {
                let action = ActionTests.actions.first { action in
                    let pattern = Self.shape(action.path).split(separator: "/")
                    let parts = form.replacing(ConsoleWorld.app, with: "").split(separator: "/")
                    return parts.count == pattern.count && zip(parts, pattern).allSatisfy { $1 == "*" || $0 == $1 }
                }
                let known = try #require(action, "\(form)")
                #expect(Self.needed(known.path) <= role, "\(path): \(form)")
                seen.insert(Self.shape(known.path))
            }
            #expect(role == .admin || !answer.text.contains("/delete\""), "\(path)")
        }
        #expect(seen.isSuperset(of: OperatorActions.ofViewer))
        #expect(seen.contains("/users/*/limits") == (role >= .support))
        #expect(seen.contains("/settings") == (role == .admin))
    }

    // Proves: C12
    @Test("An operator of one app sees and changes this app only, and no operators", arguments: OperatorRole.allCases)
    func oneApp(_ role: OperatorRole) async throws {
        let world = try await ConsoleWorld()
        let other = try await world.service.apps.create(id: AppID("another"), name: "Other")
        let victim = try await world.invite(.viewer, address: "victim@example.com")
        var (browser, person) = try await world.signedIn(role, app: other.id)
        #expect(try await browser.get("/console").text.contains("Other"))
        #expect(try await browser.get(ConsoleWorld.app + "/users").status == 404)
        #expect(try await browser.post(ConsoleWorld.app + "/users/new", "email=a%40example.com").status != 303)
        for path in ["", "/new", "/\(victim.id)", "/\(victim.id)/remove", "/\(victim.id)/status", "/events"] {
            #expect(try await browser.get("/console/operators" + path).status == 403, "\(path)")
        }
        for (path, form) in [
            ("new", "address=x%40example.com&role=admin"), ("\(person.id)/role", "role=admin&app="),
            ("\(victim.id)/role", "role=admin&app="), ("\(victim.id)/status", "status=suspended"),
            ("\(victim.id)/remove", ""),
        ] {
            #expect(try await browser.post("/console/operators/" + path, form).status == 403, "\(path)")
        }
        #expect(try await world.service.operators.all().count == 2)
        #expect(try await world.service.operators.find(victim.id) == victim)
    }

    // Proves: C12
    @Test("A form without a chosen app gives no right to all apps", arguments: ["", "&app=%E2%80%8B", "&app=+"])
    func chosenApp(_ app: String) async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.signedIn(.admin)
        let other = try await world.invite(.viewer, address: "v@example.com", app: AppID("testapp"))
        for (path, form) in [("new", "address=x%40example.com&role=admin"), ("\(other.id)/role", "role=admin")] {
            let answer = try await browser.post("/console/operators/" + path, form + app)
            #expect(answer.status == 400 && answer.text.contains("-app-error\""), "\(answer.text)")
        }
        #expect(try await world.service.operators.find(other.id).appID == AppID("testapp"))
    }

    @Test("Rights that another admin has changed meanwhile are not changed back")
    func staleRights() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.signedIn(.admin)
        let other = try await world.invite(.admin, address: "o@example.com")
        let path = "/console/operators/\(other.id)"
        let seen = try #require(try await browser.get(path).value("version"))
        try await world.service.operators.setRole(.viewer, app: nil, of: other.id)
        let form = "role=admin&app=testapp&version=" + seen.replacing(" ", with: "+")
        let answer = try await browser.post(path + "/role", form)
        #expect(answer.status == 409 && answer.text.contains("The account has changed meanwhile"))
        #expect(try await world.service.operators.find(other.id).role == .viewer)
        let now = try #require(try await browser.get(path).value("version"))
        let again = "role=admin&app=testapp&version=" + now.replacing(" ", with: "+")
        #expect(try await browser.post(path + "/role", again + "&confirmed=on").status == 303)
    }

    @Test("A page says what an operator loses by a lower role and by one app, and nothing is saved before it")
    func fewerRights() async throws {
        let world = try await ConsoleWorld()
        let other = try await world.invite(.support, address: "o@example.com")
        var (browser, _) = try await world.signedIn(.admin)
        let path = "/console/operators/\(other.id)/role"
        let losses = [
            (
                "viewer", "",
                "gets the role viewer instead of support: looks at pages, and changes nothing."
            ),
            ("support", "testapp", "works with the app testapp (Test) only, not with all apps."),
        ]
        for (role, app, text) in losses {
            let page = try await browser.post(path, "role=\(role)&app=\(app)")
            #expect(page.status == 200 && page.text.contains("Nothing is saved yet."))
            #expect(page.text.contains(text), "\(page.text)")
            #expect(page.text.contains("The operator has no active session."))
            #expect(page.value("role") == role && page.value("app") == app && page.value("confirmed") == "on")
        }
        #expect(try await world.service.operators.find(other.id) == other)
        #expect(try await browser.post(path, "role=admin&app=nothere").status == 404)
        #expect(try await browser.post(path, "role=admin&app=").status == 303, "more rights need no page")
        #expect(try await browser.post(path, "role=support&app=testapp&confirmed=on").status == 303)
        let changed = try await world.service.operators.find(other.id)
        #expect(changed.role == .support && changed.appID == AppID("testapp"))
        #expect(
            RightsConsequences.of(.support, app: nil, replacing: changed).isEmpty,
            "all apps instead of one takes nothing")
        let less = RightsConsequences.of(.viewer, app: nil, replacing: changed)
        #expect(
            less.count == 2 && less[1].hasSuffix("works with all apps, not with the app testapp only."),
            "what is more, too")
    }

    // Proves: C12
    @Test("No operator changes the own role, status or account, so one admin stays")
    func own() async throws {
        let world = try await ConsoleWorld()
        var (browser, person) = try await world.signedIn(.admin)
        let path = "/console/operators/\(person.id)"
        for (end, form) in [("/role", "role=viewer&app="), ("/status", "status=suspended"), ("/remove", "")] {
            #expect(try await browser.post(path + end, form).status == 409, "\(end)")
        }
        #expect(try await world.service.operators.find(person.id) == person)
    }

    // Proves: C12
    @Test("A key that an operator creates names the operator, and has no more rights")
    func keys() async throws {
        let world = try await ConsoleWorld()
        let app = try #require(AppID("testapp"))
        var (browser, person) = try await world.signedIn(.admin)
        #expect(try await browser.post(ConsoleWorld.app + "/keys/new", "name=backend&role=write").status == 200)
        let key = try #require(try await world.service.managementKeys.all(of: app).first)
        #expect(key.createdBy == .operator(person.id))
        #expect(try await browser.post(ConsoleWorld.app + "/keys/\(key.id)/rotate").status == 200)
        let rotated = try #require(try await world.service.managementKeys.all(of: app).first)
        #expect(rotated.id != key.id && rotated.createdBy == .operator(person.id))
        let rights = ConsolePrincipal(try await world.invite(.viewer, address: "v@example.com", app: app)).key
        await #expect(throws: Refusal.self) {
            try await world.service.managementKeys.create(name: "x", app: app, role: .write, by: rights)
        }
        await #expect(throws: Refusal.self) {
            try await world.service.managementKeys.create(name: "x", app: nil, role: .read, by: rights)
        }
    }

    // Proves: C8
    @Test("Each form of the console has an event that names the operator's account")
    func events() async throws {
        let world = try await ConsoleWorld()
        var (browser, person) = try await world.signedIn(.admin)
        let actor = EventContext.Actor(.operator, id: person.id, name: "grace@example.com")
        for (path, form) in [
            (ConsoleWorld.app + "/users/new", "email=ada%40example.com"),
            (ConsoleWorld.app + "/keys/new", "name=x&role=read"),
            ("/console/operators/new", "address=op%40example.com&role=viewer&app="),
            ("/console/account/password", "password=staple+of+the+better+kind"),
        ] {
            let before = Set(try await world.events().map(\.id))
            #expect(try await browser.post(path, form).status < 400, "\(path)")
            let written = try await world.events().filter { !before.contains($0.id) }
            #expect(!written.isEmpty && written.allSatisfy { $0.context.actor == actor }, "\(path)")
        }
    }
}
