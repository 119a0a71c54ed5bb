import Foundation
import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

@testable import SessionConsole

@Suite("How many users a change of step-up rules and scopes concerns")
struct AffectedGrantsTests {
    private static let app = ConsoleWorld.app

    /// Stores a grant, as a step-up does.
    private struct InsertGrant: Intent {
        let grant: Grant
        var reads: Read<Void> { Read(app: grant.appID) }
        func decide(_: Void) -> Decision<Bool> { Decision(true, [.insertGrant(grant)]) }
    }

    /// Signs a user in who has a scope by a step-up.
    private func grant(_ scope: String, to email: String, _ world: ConsoleWorld) async throws {
        let app = world.world.appID
        try await world.world.signIn(try world.world.client(), as: email)
        let user = try await world.service.users.user(
            with: CanonicalIdentifier(type: "email_address", value: email), app: app)
        let session = try #require(
            try await world.service.users.sessions(of: user.id, app: app, limit: 1).elements.first)
        let grant = Grant(
            id: "grt_" + email, appID: app, userID: user.id, sessionID: session.id, scope: scope, mode: .profileBound,
            generation: 0, expiresAt: world.clock.timestamp + 300)
        #expect(try await world.service.store.perform(InsertGrant(grant: grant)))
    }

    @Test("The pages of a scope and of its rule say how many users have it by a step-up")
    func scope() async throws {
        let world = try await ConsoleWorld()
        let app = world.world.appID
        let rule = StepUpConfigChange.AllowedScope(
            scope: "pay", mode: "direct",
            direct: .init(
                identifierTypes: ["email_address"], status: "continue", grantedFor: 300, grantMode: "session-bound"))
        try await world.service.stepUpConfig.register("pay", app: app)
        let config = try await world.service.stepUpConfig.setRule(rule, app: app)
        let id = try #require(config.rules.first?.id)
        var (browser, _) = try await world.operatorBrowser()
        let pages = ["/step-up/rules/\(id)/remove", "/step-up/scopes/cGF5/remove", "/step-up/rules/\(id)"]
        let texts = [
            "No user has the scope pay by a step-up now.",
            "1 user has the scope pay by a step-up now, and loses it at the next access token.",
            "2 users have the scope pay by a step-up now, and lose it at their next access token.",
        ]
        for (count, text) in texts.enumerated() {
            if count > 0 { try await grant("pay", to: "user\(count)@example.com", world) }
            for page in pages {
                let shown = try await browser.get(Self.app + page).text
                #expect(shown.contains(text) && shown.contains("Step-ups for pay that have begun end."), "\(page)")
            }
        }
        #expect(
            try await browser.get(Self.app + pages[2]).text.contains(
                "A rule that is added, changed or moved ends the step-ups"))
        #expect(try await browser.get(Self.app + pages[1]).text.contains("No login grants it."))
        try await changes(of: id, text: texts[2], browser, world)
        try await grant("pay", to: "user4@example.com", world)
        world.clock.advance(by: .seconds(300))
        #expect(try await browser.get(Self.app + pages[0]).text.contains(texts[0]), "the grants have expired")
    }

    /// A rule that is added, changed or moved ends grants, so it is stored after a page that says how many.
    private func changes(of id: String, text: String, _ browser: Browser, _ world: ConsoleWorld) async throws {
        var browser = browser
        func form(_ type: String, _ seconds: Int) -> String {
            [
                "rule.scope=pay", "rule.direct.identifier_types=\(type)", "rule.direct.status=continue",
                "rule.direct.grant_mode=session-bound", "rule.direct.granted_for=\(seconds)",
            ].joined(separator: "&")
        }
        let edit = Self.app + "/step-up/rules/\(id)"
        let unchanged = try await browser.post(edit, form("email_address", 300))
        #expect(unchanged.status == 303, "\(unchanged.text)")
        for (path, body) in [
            (edit, form("email_address", 200)), (Self.app + "/step-up/new/direct", form("phone_number", 300)),
        ] {
            let page = try await browser.post(path, body)
            #expect(page.status == 200 && page.text.contains("Nothing is saved yet."), "\(path)")
            #expect(page.text.contains(text), "\(path)")
            #expect(try await world.settings().stepUp?.rules.map(\.id) == [id])
        }
        #expect(try await browser.post(edit, form("email_address", 0)).status == 400, "no page for an invalid rule")
        let second = form("phone_number", 300) + "&confirmed=on"
        #expect(try await browser.post(Self.app + "/step-up/new/direct", second).status == 303)
        let ids = try #require(try await world.settings().stepUp?.rules.map(\.id))
        let raise = Self.app + "/step-up/rules/\(ids[1])/raise"
        try await grant("pay", to: "user3@example.com", world)
        let page = try await browser.post(raise)
        #expect(page.status == 200 && page.text.contains("1 user has the scope pay"), "the others have lost it")
        #expect(try await world.settings().stepUp?.rules.map(\.id) == ids)
        let seen = try await world.settings().version
        let stale = try await browser.post(raise, "confirmed=on&settings_version=x" + seen)
        #expect(stale.status == 409, "the page was about other rules")
        let shown = try await browser.get(Self.app + "/step-up/rules/\(ids[1])").text
        #expect(shown.components(separatedBy: "name=\"settings_version\"").count == 3, "both forms have it")
        #expect(try await browser.post(raise, "confirmed=on&settings_version=" + seen).status == 303)
        #expect(try await world.settings().stepUp?.rules.map(\.id) == ids.reversed())
    }
}
