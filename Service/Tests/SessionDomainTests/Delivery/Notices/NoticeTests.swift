import Testing

@testable import SessionDomain

@Suite("Notices")
struct NoticeTests {
    private func app(_ change: (inout App) -> Void = { _ in }) throws -> App {
        var app = App(id: try appID(), name: "Example", createdAt: now)
        app.messages.notices.newDevice = true
        change(&app)
        return app
    }

    private func notice(
        _ occasion: NoticeOccasion, to user: User, _ change: (inout App) -> Void = { _ in }
    ) throws -> Notice? {
        NoticeFactory(try app(change), environment: stillEnvironment)
            .notice(occasion, to: user, at: now)
    }

    private func recipients(_ occasion: NoticeOccasion, _ user: User) throws -> [String] {
        try notice(occasion, to: user)?.recipients.map(\.identifier.value) ?? []
    }

    private func user(held: CanonicalIdentifier? = nil) throws -> User {
        var user = try TestApp.user([try TestApp.mail(), try TestApp.phone(), try TestApp.mail("b@example.com")])
        if let held { user.heldUntil = [held: now + 60] }
        return user
    }

    // Proves: M20
    @Test("A login from a new device is reported to the identifiers whose code it did not have")
    func newDevice() throws {
        let (mail, phone) = (try TestApp.mail(), try TestApp.phone())
        let all = ["ada@example.com", "+14155550100", "b@example.com"]
        #expect(try recipients(.newDevice(Device(), provenBy: nil), try user()) == all)
        #expect(
            try recipients(.newDevice(Device(), provenBy: IdentifierDigest(mail)), try user()) == Array(all.dropFirst())
        )
        #expect(
            try recipients(.newDevice(Device(), provenBy: IdentifierDigest(phone)), try user()) == [all[0], all[2]])
        let single = try TestApp.user([mail])
        #expect(try notice(.newDevice(Device(), provenBy: IdentifierDigest(mail)), to: single) == nil)
    }

    // Proves: M20
    @Test("A new identifier gets no notice of its own addition, and a removed one gets that of its removal")
    func identifiers() throws {
        let (mail, phone, other) = (try TestApp.mail(), try TestApp.phone(), try TestApp.mail("new@example.com"))
        let all = ["ada@example.com", "+14155550100", "b@example.com"]
        #expect(try recipients(.identifierAdded(other), try user()) == all)
        #expect(try recipients(.identifierAdded(mail), try user()) == Array(all.dropFirst()))
        #expect(try recipients(.identifierRemoved(phone), try user()) == [all[1], all[0], all[2]])
        #expect(try recipients(.identifierRemoved(mail), try TestApp.user([mail])) == [all[0]])
        #expect(try notice(.identifierAdded(mail), to: try TestApp.user([])) == nil)
    }

    @Test("A changed password and a reused token are reported to all identifiers")
    func credentials() throws {
        let all = ["ada@example.com", "+14155550100", "b@example.com"]
        #expect(try recipients(.passwordChanged, try user()) == all)
        #expect(try recipients(.sessionEnded(Device()), try user()) == all)
    }

    // Proves: M20
    @Test("A held identifier gets no notices, apart from that of its removal (X1)")
    func held() throws {
        let phone = try TestApp.phone()
        let user = try user(held: phone)
        for occasion in [NoticeOccasion.passwordChanged, .sessionEnded(Device()), .newDevice(Device(), provenBy: nil)] {
            #expect(try recipients(occasion, user) == ["ada@example.com", "b@example.com"])
        }
        #expect(try recipients(.identifierRemoved(phone), user).first == "+14155550100")
    }

    // Proves: M21
    @Test("At most five identifiers get a notice, the removed one among them")
    func bounded() throws {
        let numbers = try (0..<8).map { try TestApp.phone("+1415555010\($0)") }
        let user = try TestApp.user(numbers)
        #expect(try recipients(.passwordChanged, user) == numbers.prefix(5).map(\.value))
        #expect(
            try recipients(.identifierRemoved(numbers[7]), user) == [numbers[7].value] + numbers.prefix(4).map(\.value))
    }

    // Proves: M21
    @Test("No notice goes to a number to which the app sends no codes")
    func prefixes() throws {
        let notice = try notice(.passwordChanged, to: try user()) { $0.otpLimits.allowedPrefixes = ["+33"] }
        #expect(notice?.recipients.map(\.identifier.value) == ["ada@example.com", "b@example.com"])
    }

    @Test("Users who may not sign in get no notices", arguments: [User.Status.inactive, .suspended])
    func inactive(status: User.Status) throws {
        #expect(try notice(.passwordChanged, to: try TestApp.user([try TestApp.mail()], status: status)) == nil)
    }

    @Test("Each kind can be turned on and off; by default, all but that of new devices are on")
    func settings() throws {
        let occasions: [NoticeOccasion] = [
            .newDevice(Device(), provenBy: nil), .identifierAdded(try TestApp.mail("x@example.com")),
            .identifierRemoved(try TestApp.phone()), .passwordChanged, .passkeyAdded, .passkeyRemoved,
            .sessionEnded(Device()),
        ]
        let switches: [WritableKeyPath<NoticeSettings, Bool>] = [
            \.newDevice, \.identifierAdded, \.identifierRemoved, \.passwordChanged, \.passkeyAdded,
            \.passkeyRemoved, \.sessionsEnded,
        ]
        #expect(occasions.map(\.kind) == Notice.Kind.allCases)
        #expect(Notice.Kind.allCases.filter { !NoticeSettings().isOn($0) } == [.newDevice])
        for (index, occasion) in occasions.enumerated() {
            for (other, isOn) in switches.enumerated() {
                let notice = try notice(occasion, to: try user()) { $0.messages.notices[keyPath: isOn] = false }
                #expect((notice == nil) == (index == other), "\(occasion.kind)")
            }
        }
    }

    @Test("A notice has the languages and the context of its request, and the senders of the app's default logins")
    func request() throws {
        let context = EventContext(actor: .init(.client), ip: "192.0.2.1")
        var app = try app()
        for (sender, isDefault) in [("Other", false), ("Example", true)] {
            var login = OTPLoginConfig(id: sender, channel: .sms, isDefault: isDefault, at: now)
            login.senderID = sender
            app.otpLogins.append(login)
        }
        let (settings, user) = (app, try user())
        let notice = EventContext.$current.withValue(context) {
            RequestedLanguages.$current.withValue(["fr", "de"]) { () -> Notice? in
                NoticeFactory(settings, environment: stillEnvironment).notice(.passwordChanged, to: user, at: now)
            }
        }
        #expect(notice?.locales == ["fr", "de"] && notice?.context == context)
        let senders = notice?.recipients.map { $0.senderID ?? "" }
        #expect(senders == ["", "Example", ""])
        #expect(notice?.recipients.allSatisfy { $0.messageID.hasPrefix("msg_") } == true)
        #expect(try self.notice(.passwordChanged, to: user)?.locales == [])
    }

    @Test(
        "A notice is in the languages of the user's request, or else in that of the user's last login",
        arguments: [([], nil, []), ([], "fr", ["fr"]), (["de", "en"], "fr", ["de", "en"])]
            as [([String], String?, [String])])
    func languages(requested: [String], ofUser: String?, ofNotice: [String]) throws {
        var user = try user()
        user.locale = ofUser
        let factory = NoticeFactory(
            try app(), environment: stillEnvironment, locales: requested,
            context: EventContext(actor: .init(.managementKey)))
        #expect(factory.notice(.passwordChanged, to: user, at: now)?.locales == ofNotice)
    }

    // Proves: M17
    @Test("A notice has the time, a masked identifier and a kind of device, and expires after a day")
    func values() throws {
        let added = try #require(try notice(.identifierAdded(try TestApp.phone("+33612345678")), to: try user()))
        #expect(added.values.identifier == "+33*******78" && added.values.time == now && added.values.device == nil)
        let agent = Device(model: "Call +1 900 555 0100", osVersion: "Android 14")
        #expect(try notice(.sessionEnded(agent), to: try user())?.values.device == .android)
        #expect(added.messages.allSatisfy { $0.expiresAt == now + 86_400 } && added.values.code == nil)
    }

    // Proves: M17
    @Test(
        "A notice shows so little of an address that it is neither a link nor a sentence",
        arguments: [
            ("mallory@example.com", "m***@e***.com"), ("m@verify-your-account.shop.example.com", "***@v***.com"),
            ("mallory@аррӏе.com", "m***@x***.com"), ("mallory@почта.com", "m***@***.com"),
            ("mallory@example.xn--p1ai", "m***@e***.***"),
        ])
    func maskedAddress(address: String, shown: String) throws {
        let added = try notice(.identifierAdded(try TestApp.mail(address)), to: try user())
        #expect(added?.values.identifier == shown)
    }

    // Proves: M21
    @Test("A notice is counted, and at the limit the change is made without it")
    func limited() throws {
        let factory = NoticeFactory(try app(), environment: stillEnvironment)
        let user = try user()
        let notice = try #require(factory.notice(.passwordChanged, to: user, at: now))
        let counter = CounterKey.notices(userID: "usr_1", .passwordChanged)
        let limit = RateLimit(limit: 5, window: 86_400)
        let counted = Change.count(counter, app: try appID(), limit: limit, now: now)
        let changes = factory.changes(.passwordChanged, to: user, GuardFailures(), at: now)
        #expect(changes.first == counted)
        let queued = changes.compactMap { if case .insertMessage(let message) = $0 { message } else { nil } }
        #expect(Set(queued.map(\.recipient)) == Set(notice.recipients.map(\.identifier)))
        func recipients(exhausted key: CounterKey) -> [IdentifierType] {
            let failures = GuardFailures(.exhausted(key, until: now + 1))
            return factory.changes(.passwordChanged, to: user, failures, at: now).compactMap {
                if case .insertMessage(let message) = $0 { message.recipient.type } else { nil }
            }
        }
        #expect(recipients(exhausted: counter).isEmpty)
        let all: [IdentifierType] = [.emailAddress, .phoneNumber, .emailAddress]
        #expect(recipients(exhausted: .notices(userID: "usr_1", .identifierAdded)) == all)
        #expect(recipients(exhausted: .notices(userID: "usr_2", .passwordChanged)) == all)
        #expect(recipients(exhausted: .sendsOfApp).isEmpty)
        #expect(recipients(exhausted: .sendsToCallingCode("+1")) == [.emailAddress, .emailAddress])
        #expect(recipients(exhausted: .sendsToCallingCode("+33")) == all)
    }

    // Proves: M21
    @Test("A notice spends what sessions can, and its last messages may pass the limits")
    func budgets() throws {
        let factory = NoticeFactory(try app(), environment: stillEnvironment)
        let counted = factory.changes(.passwordChanged, to: try user(), GuardFailures(), at: now).compactMap { change in
            if case .count(let key, _, let limit, _) = change { [key: limit.limit] } else { nil }
        }
        let app = [CounterKey.sendsOfApp: 8002]
        let country = [CounterKey.sendsToCallingCode("+1"): 1602]
        let range = [CounterKey.sendsToNumberRange("+1415"): 402]
        #expect(counted == [[.notices(userID: "usr_1", .passwordChanged): 5], app, app, country, range, app])
    }

    @Test("Each recipient gets a message of its own, which stores no text")
    func messages() throws {
        let phone = try TestApp.phone()
        let notice = try #require(try notice(.identifierRemoved(phone), to: try user()))
        let messages = notice.messages
        #expect(messages.map(\.recipient.value) == ["+14155550100", "ada@example.com", "b@example.com"])
        #expect(messages.map(\.id) == notice.recipients.map(\.messageID))
        for message in messages {
            #expect(message.content.purpose == .notice && message.content.code == nil && message.appID == notice.appID)
            #expect(message.content.userID == "usr_1" && message.content.withheld == nil)
            #expect(
                message.content.values == [
                    "notice": "identifier_removed", "time": "1800000000000", "identifier": "+14*******00",
                ])
        }
    }
}
