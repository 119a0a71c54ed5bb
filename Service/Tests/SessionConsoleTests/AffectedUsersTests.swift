import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

@testable import SessionConsole

@Suite("How many users a change of the configuration concerns")
struct AffectedUsersTests {
    private static let app = ConsoleWorld.app

    @Test("The deletion of the last login of a channel, and another channel for it, say how many users lose it")
    func lastLogin() async throws {
        let world = try await ConsoleWorld()
        let app = world.world.appID
        for (address, number) in [("ada@example.com", "+14155550100"), ("bob@example.com", nil)] {
            var identifiers = [try CanonicalIdentifier(type: "email_address", value: address)]
            if let number { identifiers.append(try CanonicalIdentifier(type: "phone_number", value: number)) }
            _ = try await world.service.users.create(app: app, identifiers: identifiers, password: nil)
        }
        let logins = try await world.settings().otpLogins
        let mails = logins.filter { $0.channel == .email }
        for login in mails.dropFirst() { try await world.service.loginConfigs.deleteOTPLogin(login.id, app: app) }
        let last = try #require(mails.first)
        if !logins.contains(where: { $0.channel == .sms }) {
            _ = try await world.service.loginConfigs.createOTPLogin(
                .test(.sms, isDefault: true), app: app)
        }
        let texts = [
            "It is the last login with e-mail: no user can sign in with e-mail any more.",
            "2 users have an e-mail address.", "1 user has an e-mail address and no other way to sign in.",
        ]
        var (browser, _) = try await world.operatorBrowser()
        let path = Self.app + "/logins/codes/" + last.id
        let deletion = try await browser.get(path + "/delete").text
        for text in texts { #expect(deletion.contains(text), "\(text)") }
        let change = "channel_type=sms&code_size=6"
        let page = try await browser.post(path, change)
        #expect(page.status == 200 && page.text.contains("Nothing is saved yet."))
        for text in texts { #expect(page.text.contains(text), "\(text)") }
        #expect(try await world.settings().otpLogins.contains { $0.id == last.id && $0.channel == .email })
        #expect(
            try await browser.post(path, "channel_type=email&code_size=7").status == 303,
            "no user loses a way to sign in")
        #expect(try await browser.post(path, change + "&confirmed=on").status == 303)
        #expect(try await world.settings().otpLogins.contains { $0.id == last.id && $0.channel == .sms })
    }

    @Test("Another default login that grants less says which scopes later sessions do not get, and waits")
    func defaultLogin() async throws {
        let world = try await ConsoleWorld()
        let app = world.world.appID
        try await world.service.stepUpConfig.register("adm", app: app)
        for login in try await world.settings().otpLogins {
            try await world.service.loginConfigs.deleteOTPLogin(login.id, app: app)
        }
        for (isDefault, scopes) in [(true, ["adm"]), (false, [])] {
            _ = try await world.service.loginConfigs.createOTPLogin(
                .test(.email, isDefault: isDefault, grantedScopes: scopes), app: app)
        }
        let other = try await world.settings().otpLogins[1].id
        var (browser, _) = try await world.operatorBrowser()
        let form = "channel_type=email&code_size=6&granted_scopes=&is_default=on"
        let text = "Another login with e-mail is the default. It does not grant adm."
        for path in [Self.app + "/logins/codes/new", Self.app + "/logins/codes/" + other] {
            let page = try await browser.post(path, form)
            #expect(page.status == 200 && page.text.contains(text), "\(path)")
            #expect(try await world.settings().otpLogins.map(\.isDefault) == [true, false])
        }
        let stale = "&confirmed=on&settings_version=x"
        for (path, fields) in [("new", form + stale), (other, form + stale), (other + "/delete", stale)] {
            let address = Self.app + "/logins/codes/" + path
            #expect(try await browser.get(address).text.contains("name=\"settings_version\""), "\(path)")
            #expect(try await browser.post(address, fields).status == 409, "\(path): the page was about other logins")
        }
        let more = form + "&granted_scopes=adm&confirmed="
        #expect(try await browser.post(Self.app + "/logins/codes/" + other, more).status == 303, "nothing is lost")
        #expect(try await world.settings().otpLogins.map(\.isDefault) == [false, true])
    }

    @Test("The removal of the only route of a channel says how many users lose it")
    func lastRoute() async throws {
        let world = try await ConsoleWorld()
        _ = try await world.service.users.create(
            app: world.world.appID,
            identifiers: [try CanonicalIdentifier(type: "email_address", value: "ada@example.com")],
            password: nil)
        var (browser, _) = try await world.operatorBrowser()
        let path = Self.app + "/delivery/email/1"
        #expect(try await browser.change(path, "type=webhook&url=https%3A%2F%2Fhooks.example.com%2Fmail").status == 303)
        let page = try await browser.get(path + "/remove").text
        #expect(page.contains("logins by e-mail are rejected"))
        #expect(page.contains("1 user has an e-mail address."))
        #expect(page.contains("Codes that wait are sent if there is a route again before they expire."))
    }

    @Test("Removed domains and origins, a closed sign-up and a shorter retention say what they end, and wait")
    func settings() async throws {
        let world = try await ConsoleWorld()
        let app = world.world.appID
        try await world.service.apps.update(app) {
            $0.domains = ["a.example.com", "b.example.com"]
            $0.allowedOrigins = ["https://shop.example.com"]
        }
        _ = try await world.service.users.create(
            app: app, identifiers: [try CanonicalIdentifier(type: "email_address", value: "ada@example.com")],
            password: nil)
        var (browser, _) = try await world.operatorBrowser()
        let path = Self.app + "/settings"
        let form = "name=Shop&new_identifier_hold=60&signing_algorithm=EdDSA"
        let kept = "&domains=a.example.com%0D%0Ab.example.com&allowed_origins=https%3A%2F%2Fshop.example.com"
        #expect(try await browser.post(path, form + kept + "&sign_up=on&event_retention=30").status == 303)
        let page = try await browser.post(path, form + "&domains=b.example.com&allowed_origins=&event_retention=7")
        #expect(page.status == 200 && page.text.contains("Nothing is saved yet."))
        for text in [
            "The app has 1 active user.", "a.example.com no longer leads to the app.",
            "New access tokens have another issuer: b.example.com.",
            "Pages of https://shop.example.com can no longer call the app",
            "Persons without an account can no longer sign up.",
            "Events that are older than 7 days are deleted, not after 30 days",
        ] { #expect(page.text.contains(text), "\(text)") }
        #expect(try await world.settings().domains.count == 2)
        let sent = form + "&domains=b.example.com&allowed_origins=&event_retention=7&confirmed=on"
        #expect(try await browser.post(path, sent).status == 303)
        #expect(try await world.settings().domains == ["b.example.com"])
        #expect(try await world.settings().allowedOrigins.isEmpty)
        let algorithm = form.replacing("EdDSA", with: "ES256") + "&domains=b.example.com&event_retention=7"
        let signed = try await browser.post(path, algorithm)
        #expect(signed.status == 200 && signed.text.contains("Later access tokens are signed with ES256."))
        let invalid = try await browser.post(path, form + "&domains=not+a+host&event_retention=7")
        #expect(invalid.status == 400, "a form that is refused needs no confirmation")
    }

    @Test("A removed claim says which one it is and that no user is signed out, and waits")
    func claim() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let path = Self.app + "/claims"
        let tier = "claims.0.name=tier&claims.0.source=text&claims.0.value=gold"
        let plan = "claims.1.name=plan&claims.1.source=profile&claims.1.value=plan"
        #expect(try await browser.post(path, tier + "&" + plan).status == 303)
        let page = try await browser.post(path, tier)
        #expect(page.status == 200 && page.text.contains("No later access token has a value for plan."))
        #expect(page.text.contains("The app has 0 active users.") && page.text.contains("for at most 5 minutes"))
        #expect(try await world.settings().claims?.mapping.count == 2)
        #expect(try await browser.post(path, tier + "&confirmed=on").status == 303)
        #expect(try await world.settings().claims?.mapping.count == 1)
        #expect(try await browser.post(path, tier.replacing("gold", with: "silver")).status == 303)
        let empty = tier.replacing("gold", with: "")
        let values = [
            "text&claims.0.value=+", "json&claims.0.value=null", "json&claims.0.value=[]", "json&claims.0.value={}",
        ]
        for form in [empty] + values.map({ tier.replacing("text&claims.0.value=gold", with: $0) }) {
            let page = try await browser.post(path, form)
            #expect(page.status == 200 && page.text.contains("No later access token has a value for tier."), "\(form)")
        }
        #expect(try await browser.post(path, empty + "&confirmed=on").status == 303)
        #expect(try await browser.post(path, empty).status == 303, "it was empty before")
    }

    @Test("Countries that get no SMS any more, and a limit of 0, say how many users get no code, and wait")
    func limits() async throws {
        let world = try await ConsoleWorld()
        let app = world.world.appID
        for number in ["+33612345678", "+14155550100", "+14155550101"] {
            _ = try await world.service.users.create(
                app: app, identifiers: [try CanonicalIdentifier(type: "phone_number", value: number)], password: nil)
        }
        var (browser, _) = try await world.operatorBrowser()
        let path = Self.app + "/limits"
        func form(_ prefixes: String, sends: Int = 10, failed: Int = 20, calling: Int = 100) -> String {
            [
                "code_lifetime=300", "checks_per_code=5", "resend_delay=30", "sends_per_verification=5",
                "starts.limit=5", "starts.window=600", "failed_checks.limit=10", "failed_checks.window=3600",
                "failed_checks_per_day=\(failed)", "consecutive_failed_checks=99", "sends_per_hour=5",
                "sends_per_day=\(sends)", "app_sends_per_day=100", "calling_code_sends_per_day=\(calling)",
                "number_range_sends_per_day=100", "send_hook.url=", "send_hook.if_unavailable=allow",
                "allowed_prefixes=" + prefixes, "starts_per_address.limit=30", "starts_per_address.window=600",
                "failures_per_address.limit=60", "failures_per_address.window=600",
                "invalid_calls_per_address.limit=30", "invalid_calls_per_address.window=600",
                "migrations_per_address.limit=30", "migrations_per_address.window=600", "step_ups.limit=30",
                "step_ups.window=600", "notices_per_day=5", "delivery_tests.limit=10", "delivery_tests.window=600",
            ].joined(separator: "&")
        }
        #expect(try await browser.post(path, form("")).status == 303)
        let page = try await browser.post(path, form("%2B33"))
        #expect(page.status == 200)
        #expect(page.text.contains("2 users have a phone number to which the app sends no codes any more."))
        #expect(try await world.settings().otpLimits.allowedPrefixes.isEmpty)
        #expect(try await browser.post(path, form("%2B33") + "&confirmed=on").status == 303)
        #expect(try await browser.post(path, form("%2B33%0D%0A%2B1")).status == 303, "one country more")
        let none = try await browser.post(path, form("%2B33%0D%0A%2B1", sends: 0))
        #expect(
            none.status == 200 && none.text.contains("A limit is 0: no user can sign in or make a step-up with a code.")
        )
        #expect(!none.text.contains("with a password"))
        try await world.service.apps.update(app) { $0.passwordLogin = nil }
        let closed = try await browser.post(path, form("%2B33%0D%0A%2B1", failed: 0))
        #expect(closed.status == 200 && !closed.text.contains("with a password"), "it is not offered")
        try await world.service.apps.update(app) { $0.passwordLogin = PasswordLoginConfig(at: world.clock.timestamp) }
        let both = try await browser.post(path, form("%2B33%0D%0A%2B1", failed: 0))
        #expect(both.text.contains("No user can sign in with a password."))
        let logins = form("%2B33%0D%0A%2B1").replacing(
            "starts_per_address.limit=30", with: "starts_per_address.limit=0")
        let address = try await browser.post(path, logins)
        #expect(
            address.text.contains("A limit is 0: no user can sign in with a code."), "step-ups do not have this limit")
        #expect(try await browser.post(path, logins + "&confirmed=on").status == 303)
        let steps = try await browser.post(path, logins.replacing("step_ups.limit=30", with: "step_ups.limit=0"))
        #expect(steps.text.contains("A limit is 0: no user can make a step-up with a code."))
        #expect(try await browser.post(path, form("%2B33%0D%0A%2B1")).status == 303)
        let mail = try await browser.post(path, form("%2B33%0D%0A%2B1", calling: 0))
        #expect(mail.status == 200 && mail.text.contains("The app sends no codes by SMS."))
        #expect(mail.text.contains("3 users have a phone number."))
        #expect(try await world.settings().otpLimits.callingCodeSendsPerDay == 100)
    }

    @Test("Where more is stored than is read, the page says that there can be more users")
    func bounded() {
        let some = CountedUsers(count: 7, read: 10, of: 10)
        #expect(AffectedUsers.sentence(some, have: "a phone number") == "At least 7 users have a phone number.")
        #expect(
            AffectedUsers.sentences("pay", some).first
                == "At least 7 users have the scope pay by a step-up now, and lose it at their next access token.")
        let none = CountedUsers(count: 0, read: 10, of: 10)
        #expect(
            AffectedUsers.sentences("pay", none).first?.hasPrefix(
                "Of 10000 grants of the app, none is of the scope pay.")
                == true)
        #expect(
            AffectedUsers.sentence(none, have: "a password")
                == "No user has a password among the 10000 that were counted. There are more.")
        #expect(
            AffectedUsers.sentences(ReservedScope.writePassword, some).first?.contains("by a login or a step-up now")
                == true)
        let all = CountedUsers(count: 1, read: 9, of: 10)
        #expect(AffectedUsers.sentence(all, have: "a phone number") == "1 user has a phone number.")
    }

    @Test("The pages of keys name the keys that end, and say how many users an emergency concerns")
    func keys() async throws {
        let world = try await ConsoleWorld()
        let (app, keys) = (world.world.appID, world.service.managementKeys)
        let first = try await keys.create(name: "deploy", app: app, role: .write).key
        var (browser, _) = try await world.operatorBrowser()
        let path = Self.app + "/keys/\(first.id)/revoke"
        #expect(try await browser.get(path).text.contains("It has created no other keys."))
        _ = try await keys.create(name: "backend", app: app, role: .read, expiresAt: nil, by: first)
        #expect(try await browser.get(path).text.contains("1 key that it has created is invalid, too: “backend”."))
        let rotation = try await browser.get(Self.app + "/signing-keys/rotate").text
        #expect(rotation.contains("The app has 0 active users. None is signed out."))
        let rotate = Self.app + "/signing-keys/rotate"
        #expect(try await browser.post(rotate, "purpose=access").location?.hasSuffix("done=rotated") == true)
        #expect(
            try await browser.post(rotate, "purpose=access").location?.hasSuffix("done=published") == true,
            "the next key is there already")
    }

    @Test("An operator's session is ended after a page that says on which device, and how many others stay")
    func operatorSession() async throws {
        let world = try await ConsoleWorld()
        var (admin, _) = try await world.signedIn()
        let person = try await world.invite(.viewer, address: "eve@example.com")
        for _ in 0..<2 { _ = try await world.browser(of: person) }
        let ids = try await world.service.operators.sessions(of: person.id).map(\.id)
        let path = "/console/operators/\(person.id)/sessions/"
        #expect(try await admin.get("/console/operators/\(person.id)").text.contains(path + ids[0] + "/revoke\""))
        let page = try await admin.get(path + ids[0] + "/revoke")
        #expect(page.text.contains("eve@example.com is signed out of the console on this device: "))
        #expect(page.text.contains("1 other active session stays."))
        #expect(try await admin.post(path + ids[0] + "/revoke").status == 303)
        #expect(try await world.service.operators.sessions(of: person.id).map(\.id) == [ids[1]])
        for method in [try await admin.get(path + "ses_none/revoke"), try await admin.post(path + "ses_none/revoke")] {
            #expect(method.status == 404)
        }
        var own = try await world.browser(of: person)
        #expect(try await own.get("/console/account").text.contains("Your 1 other session ends."))
    }
}

extension OTPLoginConfig {
    /// A login to create.
    static func test(_ channel: Channel, isDefault: Bool = false, grantedScopes: [String] = []) -> Self {
        var login = OTPLoginConfig(id: "", channel: channel, isDefault: isDefault, at: .never)
        login.grantedScopes = grantedScopes
        return login
    }
}
