import HTTPTypes
import SessionDomain
import Testing

@testable import SessionConsole

@Suite("Templates in the console")
struct TemplateTests {
    private static let page = ConsoleWorld.app + "/templates"
    private static let mail = page + "/email/sign_in/en"

    @Test("The list is filtered by channel, purpose and language")
    func list() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        func rows(_ query: String) async throws -> Int {
            try await browser.get(Self.page + query).text.matches(of: /<th scope="row"/).count
        }
        #expect(try await rows("") == 100)
        #expect(try await rows("?channel=sms&purpose=&locale=de") == 10)
        #expect(try await rows("?channel=email&purpose=step_up&locale=fr") == 1)
        #expect(try await browser.get(Self.page + "?locale=it").text.contains("No template matches"))
    }

    @Test("A preview shows what was entered and stores nothing; a wrong text is refused at its field")
    func preview() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let entered = "subject=Ciao+%3Cb%3E&text=Ecco%3A%0D%0A%0D%0A%7B%7Bcode%7D%7D"
        let shown = try await browser.post(Self.mail + "/preview", entered)
        #expect(shown.status == 200 && shown.text.contains("This text is not saved yet."))
        #expect(shown.text.contains("Ciao &lt;b&gt;") && shown.text.contains("Ecco:\n\n123456"))
        let frame = try #require(shown.text.firstMatch(of: /<iframe class="mail" src="([^"]+)" sandbox=""/)?.1)
        let mail = try await browser.get(String(frame).replacing("&amp;", with: "&"))
        #expect(mail.status == 200 && mail.text.contains("<p class=\"code\"") && mail.text.contains("Ecco:"))
        #expect(try await browser.get(Self.mail).text.contains("The built-in text"))
        for path in [Self.mail, Self.mail + "/preview"] {
            let refused = try await browser.post(path, "subject=x&text=no+code")
            #expect(refused.status == 400 && refused.text.contains("id=\"template-text-error\""), "\(path)")
            #expect(refused.text.contains(">no code</textarea>"))
        }
        let sms = try await browser.post(
            Self.page + "/sms/sign_in/en/preview", "text=%7B%7Bcode%7D%7D" + String(repeating: "x", count: 160))
        #expect(sms.text.contains("2 segments") && !sms.text.contains("<iframe"))
    }

    @Test("A new template replaces no text of the app")
    func existing() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let form = "channel=email&purpose=sign_in&locale=it&subject=Codice&text=%7B%7Bcode%7D%7D"
        #expect(try await browser.post(Self.page + "/new", form).status == 303)
        let again = try await browser.post(Self.page + "/new", form + "+nuovo")
        #expect(again.status == 409 && again.text.contains("change it on its page"))
        let text = try await browser.get(Self.page + "/email/sign_in/it").text
        #expect(text.contains(">{{code}}</textarea>") && !text.contains("nuovo"))
    }

    @Test("A mail is shown in a sandbox: without scripts, forms and other resources, in frames of the console only")
    func frame() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let page = try await browser.get(Self.mail)
        #expect(page.head.headerFields[.contentSecurityPolicy]?.contains("frame-src 'self'") == true)
        let text = "<script>alert(1)</script><img src=x>{{code}}"
        let answer = try await browser.get(
            ConsolePath.apps.text + "/testapp/templates/email/sign_in/en/mail?subject=x&text="
                + text.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
        #expect(answer.status == 200 && !answer.text.contains("<script") && !answer.text.contains("<img"))
        #expect(
            answer.head.headerFields[.contentSecurityPolicy]
                == "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; "
                + "frame-ancestors 'self'; sandbox")
        #expect(answer.head.headerFields[.cacheControl] == "no-store")
        #expect(try await browser.get(Self.page + "/sms/sign_in/en/mail").status == 404)
        var stranger = Browser(world: world, host: "console.test")
        #expect(try await stranger.get(Self.mail + "/mail").status == 303)
    }

    @Test("An own text takes the place of the built-in one until it is deleted")
    func own() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let form = "subject=Codes&text=Your+code%3A%0D%0A%0D%0A%7B%7Bcode%7D%7D"
        #expect(try await browser.get(Self.mail + "/delete").status == 404)
        #expect(try await browser.post(Self.mail, form).status == 303)
        let app = try #require(AppID("testapp"))
        let stored = try await world.service.apps.app(app).messages.templates
        #expect(stored.map(\.text) == ["Your code:\n\n{{code}}"])
        #expect(try await browser.get(Self.mail).text.contains("Your own text"))
        #expect(try await browser.post(Self.mail + "/delete").status == 303)
        #expect(try await world.service.apps.app(app).messages.templates.isEmpty)
        #expect(try await browser.get(Self.page + "/email/sign_in/tlh").status == 404)
    }
}
