import Foundation
import PreludeSessionTesting
import SessionDomain
import Testing

@testable import SessionConsole

@Suite("Passkeys in the console")
struct PasskeyPageTests {
    private static let app = ConsoleWorld.app
    private static let path = app + "/passkeys"
    /// What the page sends without changes, but for the RP id.
    private static let form = "login_enabled=on&codes_with_passkey=on&refuse_lower_counter=on"
    private static let rpID = "&rp_id=example.com"

    private static func configure(_ world: ConsoleWorld, _ change: (inout PasskeyConfig) -> Void = { _ in })
        async throws
    {
        var config = PasskeyConfig()
        config.relyingPartyID = "example.com"
        change(&config)
        let changed = config
        try await world.service.apps.update(world.world.appID) { $0.passkeys = changed }
    }

    private static func lost(_ change: (inout PasskeyConfig) -> Void) -> [String] {
        var old = PasskeyConfig()
        old.relyingPartyID = "example.com"
        old.allowedOrigins = ["https://example.com", "https://app.example.com"]
        old.iosAppIDs = ["A1B2C3D4E5.com.example.app"]
        old.androidApps = ["com.example.app " + Array(repeating: "0A", count: 32).joined(separator: ":")]
        old.userVerification = .preferred
        var next = old
        change(&next)
        return PasskeyPage.consequences(of: next, replacing: old)
    }

    // MARK: Settings

    @Test("A change that takes nothing needs no confirmation")
    func harmless() {
        #expect(Self.lost { _ in }.isEmpty)
        #expect(
            Self.lost {
                $0.relyingPartyName = "Shop"
                // It is always allowed.
                $0.allowedOrigins = ["https://app.example.com", "https://other.example.com"]
                $0.androidApps = [$0.androidApps[0].replacing("0A", with: "0a")]
                $0.attestationPreference = .indirect
            }.isEmpty)
    }

    private static let changes: [(@Sendable (inout PasskeyConfig) -> Void, String)] = [
        ({ $0.relyingPartyID = "example.org" }, "they are bound to example.com, not to example.org"),
        ({ $0.loginEnabled = false }, "No user can sign in with a passkey."),
        ({ $0.codesWithPasskey = false }, "Users with a passkey get no codes to sign in any more."),
        ({ $0.attestationPreference = .direct }, "Synchronized passkeys, such as those of password managers, cannot"),
        ({ $0.attestationRoots = ["AA=="] }, "Synchronized passkeys"),
        ({ $0.allowedAAGUIDs = ["fbfc3007-154e-4ecc-8c0b-6e020557d7bd"] }, "Only 1 model of authenticators can be"),
        ({ $0.userVerification = .required }, "Authenticators that do not verify their user"),
        ({ $0.allowedOrigins = [] }, "Pages and apps of the origin https://app.example.com can neither"),
        ({ $0.iosAppIDs = [] }, "The app A1B2C3D4E5.com.example.app of Apple loses"),
        ({ $0.androidApps = [] }, "The app com.example.app of Android with the certificate 0A:0A:0A:0A… can neither"),
    ]

    @Test("Settings that take something say what", arguments: changes)
    func losses(change: @Sendable (inout PasskeyConfig) -> Void, text: String) {
        let lost = Self.lost(change)
        #expect(lost.first?.contains(text) == true, "\(lost)")
        #expect(lost.allSatisfy { $0.hasSuffix(".") })
    }

    @Test("The first settings are saved at once, and another RP ID waits for a confirmation")
    func settings() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        #expect(try await browser.get(Self.app + "/logins").text.contains("href=\"\(Self.path)\""))
        #expect(try await browser.get(Self.path).text.contains("Passkeys are not configured."))
        let refused = try await browser.post(Self.path, Self.form + "&rp_id=https%3A%2F%2Fexample.com")
        #expect(refused.status == 400 && refused.text.contains("RP ID must be a host in lower case"))
        #expect(try await browser.post(Self.path, Self.form + Self.rpID).status == 303)
        #expect(try await browser.get(Self.app + "/logins").text.contains("sign in with passkeys of example.com."))
        let page = try await browser.post(Self.path, Self.form + "&rp_id=example.org")
        #expect(page.status == 200 && page.text.contains("Nothing is saved yet."))
        #expect(page.text.contains("All passkeys of all users are void"))
        #expect(page.text.contains("<a href=\"\(Self.path)\">Cancel</a>"))
        #expect(try await world.settings().passkeys?.relyingPartyID == "example.com")
        #expect(try await browser.post(Self.path, Self.form + "&rp_id=example.org&confirmed=on").status == 303)
        #expect(try await world.settings().passkeys?.relyingPartyID == "example.org")
    }

    @Test("A scope that no other login grants is named before passkeys stop granting it")
    func grantedScope() async throws {
        let world = try await ConsoleWorld()
        try await world.service.stepUpConfig.register("adm", app: world.world.appID)
        try await Self.configure(world) { $0.grantedScopes = ["adm"] }
        var (browser, _) = try await world.operatorBrowser()
        #expect(try await browser.get(Self.app + "/step-up").text.contains("1 login"))
        let page = try await browser.post(Self.path, Self.form + Self.rpID + "&granted_scopes=").text
        #expect(page.contains("with a passkey from now on do not get adm by this login."))
        #expect(page.contains("No other login and no rule grants adm."))
    }

    // MARK: Users

    @Test("The page of a user lists the passkeys, and deletes one after it has said what happens")
    func user() async throws {
        let world = try await ConsoleWorld()
        try await Self.configure(world) { $0.codesWithPasskey = false }
        let user = try await world.service.users.create(
            app: world.world.appID,
            identifiers: [CanonicalIdentifier(type: "email_address", value: "ada@example.com")])
        var (browser, _) = try await world.signedIn(.support)
        let page = Self.app + "/users/\(user.id)"
        #expect(try await browser.get(page).text.contains("The user has no passkey."))
        let model = Data([
            0xFB, 0xFC, 0x30, 0x07, 0x15, 0x4E, 0x4E, 0xCC, 0x8C, 0x0B, 0x6E, 0x02, 0x05, 0x57, 0xD7, 0xBD,
        ])
        let (first, second) = (String(repeating: "a", count: 43), "bbbb")
        try await world.addPasskey(first, to: user.id, nickname: "<Phone>", aaguid: model)
        try await world.addPasskey(second, to: user.id)

        let text = try await browser.get(page).text
        for shown in [
            "The user has a passkey.", "&lt;Phone&gt;", "no name", "fbfc3007-154e-4ecc-8c0b-6e020557d7bd", "never",
            "aaaaaaaaaaaaaaaa…<", "\(page)/passkeys/\(first)/remove",
        ] {
            #expect(text.contains(shown), "\(shown)")
        }
        #expect(try await browser.get(Self.app + "/users").text.contains("data-label=\"Passkey\">yes<"))

        let deletion = page + "/passkeys/\(first)/remove"
        let asked = try await browser.get(deletion).text
        #expect(asked.contains("1 passkey of 1 user is deleted: “&lt;Phone&gt;”."))
        #expect(asked.contains("The user has 1 other passkey."))
        #expect(try await browser.post(deletion).status == 303)
        #expect(try await browser.post(deletion).status == 404)
        #expect(try await browser.get(deletion).status == 404)
        let last = try await browser.get(page + "/passkeys/\(second)/remove").text
        #expect(last.contains("is deleted: without a name, bbbb."))
        #expect(last.contains("the user signs in with ada@example.com only. The user gets codes again."))
        #expect(try await world.service.users.passkeys(of: user.id, app: user.appID).map(\.id) == [second])
        #expect(try await world.events().contains { $0.name == .passkeyDeleted })
    }

    @Test("A passkey of an earlier RP ID is shown as void, and a viewer cannot delete it")
    func void() async throws {
        let world = try await ConsoleWorld()
        try await Self.configure(world) { $0.relyingPartyID = "example.org" }
        let user = try await world.service.users.create(
            app: world.world.appID,
            identifiers: [CanonicalIdentifier(type: "email_address", value: "ada@example.com")])
        try await world.addPasskey("cccc", to: user.id)
        var (browser, _) = try await world.signedIn(.viewer)
        let page = Self.app + "/users/\(user.id)"
        let text = try await browser.get(page).text
        #expect(text.contains("void, it is for example.com") && !text.contains("/passkeys/cccc/remove"))
        #expect(try await browser.post(page + "/passkeys/cccc/remove").status == 403)
        let identifier = page + "/identifiers/remove?type=email_address&value=ada%40example.com"
        #expect(try await browser.get(identifier).text.contains("the user signs in with a passkey only."))
    }

    // MARK: Rules

    @Test("A rule can ask for a passkey, and the scope for passkeys is not granted for one token")
    func rule() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let path = Self.app + "/step-up/new/direct"
        let page = try await browser.get(path).text
        #expect(page.contains("<option value=\"verify_passkey\">A passkey</option>"))
        #expect(page.contains("prld:passkey:write register, rename and delete passkeys."))
        func form(_ mode: String) -> String {
            "rule.scope=prld%3Apasskey%3Awrite&rule.direct.identifier_types=email_address&rule.direct.status=review"
                + "&rule.direct.grant_mode=\(mode)&rule.direct.granted_for=300"
                + "&rule.direct.steps%5B0%5D.key=verify_passkey&rule.direct.steps%5B0%5D.expiration_duration=60"
        }
        let refused = try await browser.post(path, form("single-use"))
        #expect(refused.status == 400)
        #expect(
            refused.text.contains("The scope is in must be session-bound or profile-bound for prld:passkey:write."),
            "\(refused.text)")
        #expect(try await browser.post(path, form("session-bound")).status == 303)
        let rule = try #require(try await world.settings().stepUp?.rules.first)
        let step = StepUpStep(order: 1, key: StepUpStep.verifyPasskey, expirationDuration: 60)
        let terms = GrantTerms(mode: .sessionBound, grantedFor: 300)
        #expect(rule.mode == .direct([.emailAddress], .review(terms, steps: [step])))
    }
}
