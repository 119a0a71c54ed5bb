import Foundation
import PreludeSessionTesting
import SessionDomain
import Testing

@testable import SessionConsole
@testable import SessionHTTP

@Suite("Settings of an app in the console")
struct SettingsMembersTests {
    @Test("The form has a field for each member of the app in the management API, and no other one")
    func complete() async throws {
        let world = try await ConsoleWorld()
        let members = Set(App.schema.fields.map(\.name))
        var (browser, _) = try await world.operatorBrowser()
        let page = try await browser.get(ConsoleWorld.app + "/settings").text
        let form = try #require(page.firstMatch(of: /<form [^>]*id="settings".*?<\/form>/.dotMatchesNewlines())).output
        let fields = form.matches(of: /name="([a-z_]+)"/).map { String($0.1) }
        #expect(Set(fields).subtracting([ConsoleContext.tokenField, FormView.versionField]) == members)
    }

    @Test("A name that is a link is refused at its field")
    func link() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let form =
            "name=http://evil.example/login&sign_up=on&new_identifier_hold=60&signing_algorithm=EdDSA&event_retention=30"
        let answer = try await browser.post(ConsoleWorld.app + "/settings", form)
        #expect(answer.status == 400)
        #expect(answer.text.contains(#"<p class="error" id=""#) && answer.text.contains("Name must not contain links"))
        #expect(try await world.service.apps.app(world.world.appID).name != "http://evil.example/login")
    }

    @Test("Development tokens are switched on and off, with a warning")
    func developmentTokens() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let path = ConsoleWorld.app + "/settings"
        #expect(try await browser.get(path).text.contains("so leave it off in production."))
        let form = "name=Test&sign_up=on&new_identifier_hold=60&signing_algorithm=EdDSA&event_retention=30"
        for (more, isOn) in [("&development_tokens=on", true), ("", false)] {
            #expect(try await browser.post(path, form + more).status == 303)
            #expect(try await world.service.apps.app(world.world.appID).developmentTokens == isOn)
        }
    }

    @Test("A range is shown without the unit that the label has")
    func ranges() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let limits = try await browser.get(ConsoleWorld.app + "/limits").text
        #expect(limits.contains("Lifetime, in seconds") && limits.contains("60 to 600. Now 10 minutes."))
        #expect(limits.contains("1 to 10. At one code, or at two that are valid at once."))
    }
}
