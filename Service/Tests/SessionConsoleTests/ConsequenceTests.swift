import PreludeSessionTesting
import SessionDomain
import Testing

@testable import SessionConsole

@Suite("Pages that say what a change ends")
struct ConsequenceTests {
    private static let app = ConsoleWorld.app

    private func addUser(_ world: ConsoleWorld, _ identifiers: [(String, String)], password: String? = nil) async throws
        -> User
    {
        try await world.service.users.create(
            app: world.world.appID,
            identifiers: try identifiers.map { try CanonicalIdentifier(type: $0.0, value: $0.1) },
            password: password)
    }

    @Test("The removal of an identifier says which one it is, whether it is the last one, and what happens to sessions")
    func identifier() async throws {
        let world = try await ConsoleWorld()
        try await world.world.signIn(try world.world.client(), as: "ada@example.com")
        let mail = try CanonicalIdentifier(type: "email_address", value: "ada@example.com")
        let user = try await world.service.users.user(with: mail, app: world.world.appID)
        _ = try await world.service.users.addIdentifier(
            CanonicalIdentifier(type: "phone_number", value: "+14155550100"), user: user.id, app: user.appID)
        var (browser, _) = try await world.signedIn(.support)
        let path = Self.app + "/users/\(user.id)"
        let removal = path + "/identifiers/remove"
        let (phone, address) = (
            "?type=phone_number&value=%2B14155550100", "?type=email_address&value=ada%40example.com"
        )
        #expect(try await browser.get(path).text.contains(removal + phone.replacing("&", with: "&amp;")))
        let first = try await browser.get(removal + phone)
        #expect(first.text.contains("+14155550100 is removed from 1 user."))
        #expect(first.text.contains("The user still signs in with ada@example.com."))
        #expect(first.text.contains("1 active session stays."))
        #expect(try await browser.get(removal).status == 400)
        #expect(try await browser.get(removal + "?type=email_address&value=bob%40example.com").status == 404)
        #expect(try await browser.post(removal, String(phone.dropFirst())).status == 303)
        #expect(try await browser.post(removal, String(phone.dropFirst())).status == 404, "it is gone")
        #expect(
            try await browser.get(removal + address).text.contains("It is the last identifier: the user cannot sign in")
        )
        #expect(try await browser.post(removal, String(address.dropFirst())).status == 303)
        #expect(try await world.service.users.user(user.id, app: user.appID).identifiers.isEmpty)
    }

    private static let password = [
        "password_compliancy.min_length=10", "password_compliancy.max_length=0", "password_compliancy.uppercase=0",
        "password_compliancy.lowercase=0", "password_compliancy.numbers=0", "password_compliancy.symbols=0",
    ].joined(separator: "&")

    @Test("Switching off the password login says how many users have a password, and waits for a confirmation")
    func password() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let path = Self.app + "/logins/password"
        #expect(try await browser.post(path, "enabled=on&" + Self.password).status == 303)
        _ = try await addUser(world, [("email_address", "ada@example.com")], password: ConsoleWorld.password)
        _ = try await addUser(world, [("email_address", "bob@example.com")])
        let seen = try #require(try await browser.get(Self.app + "/logins").value("settings_version"))
        let page = try await browser.post(path, Self.password + "&settings_version=" + seen)
        #expect(page.status == 200 && page.text.contains("Nothing is saved yet."))
        #expect(
            page.text.contains("The app has 2 active users.")
                && page.text.contains("1 user has an e-mail address and a password."))
        #expect(page.value("settings_version") == seen && page.value("password_compliancy.min_length") == "10")
        #expect(try await world.service.apps.app(world.world.appID).passwordLogin?.enabled == true)
        let sent = Self.password + "&confirmed=on&settings_version=" + seen
        #expect(try await browser.post(path, sent).status == 303)
        #expect(try await world.service.apps.app(world.world.appID).passwordLogin?.enabled == false)
        // It is off already.
        #expect(try await browser.post(path, Self.password).status == 303)
    }

    @Test("A policy takes something only if sessions end earlier or clients need a key or a proof")
    func policy() {
        let old = SessionPolicy()
        func lost(_ change: (inout SessionPolicy) -> Void) -> [String] {
            var next = old
            change(&next)
            return SessionPolicyPage.consequences(of: next, replacing: old)
        }
        #expect(lost { _ in }.isEmpty)
        #expect(
            lost {
                $0.idleLifetime += 1
                $0.absoluteLifetime += 1
                $0.maximumSessions += 1
            }.isEmpty)
        #expect(
            lost {
                $0.proofWindow = 10
                $0.accessTokenLifetime = 60
            }.isEmpty)
        #expect(lost { $0.idleLifetime = 300 }.first?.contains("is unused for 5 minutes, not 30 days") == true)
        #expect(lost { $0.absoluteLifetime = 3600 * 24 }.first?.contains("after 1 day, not ") == true)
        #expect(lost { $0.maximumSessions = 1 }.first?.contains("more than 1 session,") == true)
        #expect(lost { $0.deviceKey = .required }.count == 2)
        #expect(lost { $0.accessTokenBinding = .dpop }.count == 1)
    }

    @Test("Notices that are switched off say what users no longer learn, and wait for a confirmation")
    func notices() async throws {
        let world = try await ConsoleWorld()
        _ = try await addUser(world, [("email_address", "ada@example.com")])
        var (browser, _) = try await world.operatorBrowser()
        let path = Self.app + "/notices"
        let kept = "password_changed=on&passkey_added=on&passkey_removed=on&identifier_added=on&identifier_removed=on"
        let all = kept + "&sessions_ended=on"
        #expect(try await browser.post(path, all + "&new_device=on").status == 303, "more notices need no page")
        let page = try await browser.post(path, kept)
        #expect(page.status == 200 && page.text.contains("Nothing is saved yet."))
        #expect(
            page.text.contains("<a href=\"\(path)\">Cancel</a>"),
            "back to the form, not to the first page of the section")
        for text in [
            "The app has 1 active user.", "Users are no longer told that all their sessions were ended.",
            "Users are no longer told that somebody has signed in from a new device.",
        ] {
            #expect(page.text.contains(text), "\(text)")
        }
        #expect(!page.text.contains("their password was changed") && page.value("password_changed") == "on")
        #expect(try await world.settings().messages.notices.sessionsEnded)
        #expect(try await browser.post(path, "confirmed=on").status == 303)
        #expect(try await !world.settings().messages.notices.passwordChanged)
        #expect(NoticesPage.silenced(by: NoticeSettings(), replacing: NoticeSettings()).isEmpty)
    }

    @Test("A form without the URL of the send hook keeps the hook, and an empty URL waits for a confirmation")
    func sendHook() async throws {
        let world = try await ConsoleWorld()
        let hook = SendHookConfig(url: "https://hooks.example.com/send", ifUnavailable: .deny)
        try await world.service.apps.update(world.world.appID) { $0.otpLimits.sendHook = hook }
        var (browser, _) = try await world.operatorBrowser()
        let path = Self.app + "/limits"
        #expect(try await browser.post(path, "send_hook.if_unavailable=allow&code_lifetime=300").status == 303)
        let stored = try await world.settings().otpLimits
        #expect(stored.sendHook == hook && stored.codeLifetime == 300 && stored.starts == LimitSettings().starts)
        let page = try await browser.post(path, "send_hook.url=&send_hook.if_unavailable=allow")
        #expect(page.status == 200 && page.text.contains("Your backend is no longer asked before a code is sent."))
        #expect(try await world.settings().otpLimits.sendHook == hook, "it is not confirmed yet")
        #expect(try await browser.post(path, "send_hook.url=&confirmed=on").status == 303)
        #expect(try await world.settings().otpLimits.sendHook == nil)
    }

    @Test("Another URL for the migration says whose sign-in it concerns; an invalid one is refused first")
    func migration() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let path = Self.app + "/migration"
        let form = "session_validation_url=https%3A%2F%2Fhooks.example.com%2F"
        #expect(try await browser.post(path, form + "one").status == 303, "the first one")
        #expect(try await browser.post(path, form + "one").status == 303, "the same one")
        let page = try await browser.post(path, form + "two")
        #expect(page.status == 200 && page.text.contains("Nothing is saved yet."))
        #expect(
            page.text.contains(
                "sent to https://hooks.example.com/two from now on, not to https://hooks.example.com/one."))
        #expect(page.text.contains("Users who were migrated stay signed in."))
        #expect(page.text.contains("<a href=\"\(path)\">Cancel</a>"))
        #expect(try await browser.post(path, "session_validation_url=backend").status == 400)
        #expect(try await world.settings().migration?.sessionValidationURL == "https://hooks.example.com/one")
        #expect(try await browser.post(path, form + "two&confirmed=on").status == 303)
        #expect(try await world.settings().migration?.sessionValidationURL == "https://hooks.example.com/two")
    }

    @Test("Of a login that grants less, sessions keep what lasts as long as they, and lose a reserved scope")
    func reservedScope() async throws {
        let world = try await ConsoleWorld()
        let app = world.world.appID
        let reserved = ReservedScope.writePassword
        for scope in ["adm", reserved] { try await world.service.stepUpConfig.register(scope, app: app) }
        let login = try await world.service.loginConfigs.createOTPLogin(
            .test(.email, grantedScopes: ["adm", reserved]), app: app)
        var (browser, _) = try await world.operatorBrowser()
        let path = Self.app + "/logins/codes/" + login.id
        let page = try await browser.post(path, "channel_type=email&code_size=6&granted_scopes=")
        #expect(page.text.contains("<a href=\"\(path)\">Cancel</a>"))
        #expect(page.text.contains("No other login and no rule grants \(reserved)."))
        #expect(page.text.contains("do not get adm, \(reserved) by this login."))
        #expect(page.text.contains("Sessions that have adm keep it."))
        let deletion = try await browser.get(path + "/delete").text
        #expect(deletion.contains("keep the scopes of this login, other than \(reserved)."))
        let only = try await browser.post(path, "channel_type=email&code_size=6&granted_scopes=adm").text
        #expect(only.contains("by this login.") && !only.contains("keep it"))
    }

    @Test("A way to sign in that a limit of 0 closes is none: users who have only this one are counted")
    func closedWays() async throws {
        let world = try await ConsoleWorld()
        let app = world.world.appID
        _ = try await addUser(world, [("email_address", "ada@example.com")], password: ConsoleWorld.password)
        _ = try await addUser(world, [("email_address", "bob@example.com"), ("phone_number", "+14155550100")])
        _ = try await addUser(world, [("email_address", "eve@example.com")])
        try await world.service.apps.update(app) { app in
            app.passwordLogin = PasswordLoginConfig(at: Timestamp(seconds: 0))
            app.passwordLogin?.enabled = true
            app.otpLogins.removeAll()
        }
        for channel in OTPLoginConfig.Channel.allCases {
            _ = try await world.service.loginConfigs.createOTPLogin(.test(channel), app: app)
        }
        let login = try #require(try await world.settings().otpLogins.first { $0.channel == .email })
        var (browser, _) = try await world.operatorBrowser()
        let page = Self.app + "/logins/codes/\(login.id)/delete"
        func expect(_ count: Int, _ change: @escaping @Sendable (inout App) -> Void) async throws {
            try await world.service.apps.update(app) { change(&$0) }
            let text = try await browser.get(page).text
            let users = count == 1 ? "1 user has" : "\(count) users have"
            #expect(text.contains(users + " an e-mail address and no other way to sign in."), "\(text)")
        }
        try await expect(1) { _ in }
        try await expect(2) { $0.otpLimits.callingCodeSendsPerDay = 0 }
        try await expect(3) { $0.passwordLogin?.enabled = false }
        try await expect(2) { $0.otpLimits.callingCodeSendsPerDay = 100 }
    }

    @Test("A shorter lifetime is saved after a confirmation")
    func lifetime() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let form = [
            "idle_lifetime=300", "absolute_lifetime=31536000", "access_token_lifetime=300", "maximum_sessions=100",
            "device_key=required", "access_token_binding=none", "nonce_policy=when_needed", "proof_window=60",
            "bound_grace=60", "unbound_grace=10",
        ].joined(separator: "&")
        let before = try await world.service.apps.app(world.world.appID).sessions
        let page = try await browser.post(Self.app + "/sessions", form)
        #expect(page.status == 200 && page.text.contains("is unused for 5 minutes, not 30 days"))
        #expect(try await world.service.apps.app(world.world.appID).sessions == before)
        #expect(try await browser.post(Self.app + "/sessions", form + "&confirmed=on").status == 303)
        #expect(try await world.service.apps.app(world.world.appID).sessions.idleLifetime == 300)
    }
}
