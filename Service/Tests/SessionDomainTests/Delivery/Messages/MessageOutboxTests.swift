import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Sending the messages of the outbox", .timeLimit(.minutes(5)))
struct MessageOutboxTests {
    let clock = PlayedClock()
    let observer = RecordingObserver()

    func worker(
        _ store: any MessageStore, _ routes: [any MessageRoute], keys: KeyRing = TestApp.keys,
        sleep: (@Sendable (Int) async throws -> Void)? = nil
    ) throws -> OutboxWorker<MessageOutbox> {
        let environment = clock.environment(sleep: sleep).observed(by: observer)
        let apps = KeyStore(
            apps: [App(id: try appID(), name: "Test", createdAt: now)], keys: try TestApp.signingKeys.get())
        let directory = AppDirectory(
            store: apps, keys: TestApp.keys, origins: try PublicOrigins(publicURL: "https://session.example.com"),
            defaultApp: nil, keyRotation: TestApp.keyRotation, environment: environment)
        return OutboxWorker(
            MessageOutbox(
                store: store, directory: directory, keys: keys, routes: FixedRoutes(routes),
                environment: environment), environment: environment)
    }

    private func reasons(_ store: PlayedMessages) -> [String] {
        store.messages.map { $0.lastFailure.map { "\($0.stage): \($0.reason)" } ?? "\($0.status)" }
    }

    @Test("A route gets the derived code, the sender, the template and the locale, and the end of the code's life")
    func rendered() async throws {
        let message = try TestApp.message()
        let (store, route) = (PlayedMessages([message]), PlayedRoute())
        try await worker(store, [route]).deliverDue()
        #expect(route.sent.all.count == 1)
        let sent = route.sent.all[0]
        let code = TestApp.code(of: message)
        #expect(code.count == 6 && sent.code == code && sent.text.contains(code))
        #expect(sent.id == "msg_1" && sent.to == "ada@example.com" && sent.appName == "Test")
        #expect(sent.senderID == "sender" && sent.templateID == "template" && sent.purpose == .signIn)
        #expect(sent.expiresAt == now + 600 && sent.subject != nil)
        #expect(store.messages.map(\.status) == [.sent])
        #expect(store.events.map(\.name) == [.codeSent])
        #expect(store.events.first?.context.requestID == "req_1")
        #expect(!"\(store.messages)\(store.events)".contains(code))
    }

    @Test("Messages go by the routes of their channel, and without a route they wait for one")
    func channels() async throws {
        let store = PlayedMessages([
            try TestApp.message("msg_1"), try TestApp.message("msg_2", to: try TestApp.phone()),
        ])
        let (mail, sms) = (PlayedRoute("mail"), PlayedRoute("sms", .sms))
        try await worker(store, [mail]).deliverDue()
        #expect(mail.sent.all.map(\.id) == ["msg_1"])
        #expect(reasons(store) == ["sent", "configuration: no delivery by sms is configured"])
        clock.advance(2)
        try await worker(store, [mail, sms]).deliverDue()
        #expect(sms.sent.all.map(\.id) == ["msg_2"])
        #expect(store.messages.map(\.status) == [.sent, .sent])
    }

    @Test("When the first route fails or rejects a message, the second one gets it at once, with the same id")
    func secondRoute() async throws {
        for first in [PlayedRoute.failing(), .rejecting()] {
            let (store, second) = (PlayedMessages([try TestApp.message()]), PlayedRoute("second"))
            try await worker(store, [first, second]).deliverDue()
            #expect(first.sent.all.map(\.id) == ["msg_1"] && second.sent.all.map(\.id) == ["msg_1"])
            #expect(store.messages.map(\.status) == [.sent])
            #expect(store.events.map { $0.data["route"] } == ["second"])
        }
        let sent = observer.texts("messageSent")
        #expect(sent.count == 2 && sent.allSatisfy { $0.contains("email") && $0.hasSuffix(#"route: "second")"#) })
    }

    // Proves: M9
    @Test(
        "A route that does not deliver to the recipient says nothing about the second one",
        arguments: SendingFailure.Stage.allCases)
    func otherRoute(stage: SendingFailure.Stage) async throws {
        let (store, second) = (PlayedMessages([try TestApp.message()]), PlayedRoute("second"))
        try await worker(store, [PlayedRoute.rejecting("first", stage), second]).deliverDue()
        #expect(second.sent.all.map(\.id) == ["msg_1"])
        #expect(store.messages.map(\.status) == [.sent])
    }

    // Proves: M8
    @Test("Routes that take each message without a word send two in all", arguments: [1, 2])
    func mayBeSent(count: Int) async throws {
        let store = PlayedMessages([try TestApp.message()])
        let routes = (0..<count).map { number in
            PlayedRoute("route\(number)") { _, _ in .failed(SendingFailure(.timeout, "late", finding: .mayBeSent)) }
        }
        let worker = try worker(store, routes)
        for _ in 0..<700 {
            try await worker.deliverDue()
            clock.advance(1)
        }
        // The second one says that it is a repetition.
        #expect(routes.flatMap(\.sent.all).map(\.isRepeated) == [false, true])
        #expect(store.messages.map(\.status) == [.failed])
        #expect(store.events.map(\.name) == [.codeFailed])
    }

    @Test("An unknown recipient is final, and the second route is not tried")
    func recipient() async throws {
        let (store, second) = (PlayedMessages([try TestApp.message()]), PlayedRoute("second"))
        let first = PlayedRoute { _, _ in
            .rejected(SendingFailure(.recipient, "rejected", finding: .unknownRecipient))
        }
        try await worker(store, [first, second]).deliverDue()
        #expect(second.sent.all.isEmpty)
        #expect(store.messages.map(\.status) == [.failed])
        #expect(store.events.map(\.name) == [.codeFailed])
        #expect(store.events.map { $0.data["stage"] } == ["recipient"])
        let failed = observer.texts("messageFailed")
        #expect(failed.count == 1 && failed[0].hasSuffix(#"route: "first", stage: "recipient")"#))
    }

    // Proves: M1
    @Test("A failing route is tried again, later each time, and never after the end of the code's life")
    func deadline() async throws {
        let (store, route) = (PlayedMessages([try TestApp.message()]), PlayedRoute.failing())
        let worker = try worker(store, [route])
        for _ in 0..<1200 {
            try await worker.deliverDue()
            clock.advance(1)
        }
        #expect(route.sent.all.count == 14)
        #expect(Set(route.sent.all.map(\.id)) == ["msg_1"])
        #expect(store.messages.map(\.status) == [.failed])
        #expect(store.events.map(\.name) == [.codeFailed])
        #expect(store.events.map { $0.data["reason"] } == ["connection refused"])
        #expect(store.events.map { $0.data["attempts"] } == [.int(14)])
        let failure = MessageFailure(route: "first", stage: "connection", reason: "connection refused")
        #expect(observer.notices == [.routeFailed(app: try appID(), channel: .email, failure: failure)])
    }

    @Test(
        "A code whose life is over is not sent, also if nothing was running until then",
        arguments: [599, 600, 86_400])
    func expired(seconds: Int) async throws {
        let (store, route) = (PlayedMessages([try TestApp.message()]), PlayedRoute())
        clock.advance(seconds)
        try await worker(store, [route]).deliverDue()
        #expect(route.sent.all.count == (seconds < 600 ? 1 : 0))
        #expect(store.events.map(\.name) == [seconds < 600 ? .codeSent : .codeFailed])
        #expect(store.events.map { $0.data["stage"] } == [seconds < 600 ? nil : "expired"])
    }

    // Proves: O28
    @Test("A withheld message takes the same way, but reaches no route")
    func withheld() async throws {
        let (store, route) = (PlayedMessages([try TestApp.message(withheld: .unknownUser)]), PlayedRoute())
        try await worker(store, [route]).deliverDue()
        #expect(route.sent.all.isEmpty)
        #expect(store.messages.map(\.status) == [.withheld])
        #expect(store.events.map { $0.data["reason"] } == ["unknown_user"])
        #expect(observer.texts("messageSent", "messageFailed", "messageAttemptFailed").isEmpty)
    }

    @Test("A code whose master key a node does not have waits for a node that has it")
    func underivable() async throws {
        let other = KeyRing(current: MasterKey(secret: .init(repeating: 9, count: 32)))
        let (store, route) = (PlayedMessages([try TestApp.message()]), PlayedRoute())
        try await worker(store, [route], keys: other).deliverDue()
        #expect(route.sent.all.isEmpty)
        #expect(store.messages.map(\.status) == [.pending])
        #expect(store.messages.map { $0.lastFailure?.stage } == ["configuration"])
        clock.advance(2)
        try await worker(store, [route]).deliverDue()
        #expect(route.sent.all.map(\.code) == [TestApp.code(of: try TestApp.message())])
    }

    // Proves: O26
    @Test("What a server repeats of the message is not stored: neither code nor text nor recipient")
    func redacted() async throws {
        let store = PlayedMessages([try TestApp.message(to: try TestApp.mail("Ada@example.com"))])
        let route = PlayedRoute { message, _ in
            let code = message.code ?? ""
            return .rejected(
                SendingFailure(.recipient, "550 <Ada@example.com> ada@example.com: \(code) in \(message.text)"))
        }
        try await worker(store, [route]).deliverDue()
        #expect(reasons(store) == ["recipient: 550 <a***@example.com> a***@example.com: *** in ***"])
    }

    // Proves: M2
    @Test(
        "A hanging route is cancelled after 45 seconds, or at the end of the code's life",
        arguments: [(600, 45), (7, 7)])
    func hanging(expires: Int, seconds: Int) async throws {
        let gate = Gate()
        let store = PlayedMessages([try TestApp.message(expires: expires)])
        let route = PlayedRoute { _, _ in
            await gate.wait()
            return Task.isCancelled ? .failed(SendingFailure(.timeout, "cancelled")) : .accepted(reference: nil)
        }
        let worker = try worker(store, [route]) { _ in await gate.isReached() }
        try await worker.deliverDue()
        #expect(reasons(store) == ["timeout: no result in \(seconds) seconds"])
        #expect(store.messages.map(\.status) == [.pending])
    }

    // Proves: M3
    @Test("While the first route fails, further messages start at the second one, until a probe succeeds")
    func failingRoute() async throws {
        let store = PlayedMessages([])
        let first = PlayedRoute { _, attempt in
            attempt <= 4 ? .failed(SendingFailure(.timeout, "no answer")) : .accepted(reference: nil)
        }
        let second = PlayedRoute("second")
        let worker = try worker(store, [first, second])
        func send(_ names: String...) async throws {
            for name in names {
                store.add(try TestApp.message(name))
                try await worker.deliverDue()
            }
        }
        try await send("a", "b", "c", "d", "e")
        #expect(first.sent.all.map(\.id) == ["a", "b", "c"])
        clock.advance(30)
        try await send("probe", "f")
        #expect(first.sent.all.map(\.id) == ["a", "b", "c", "probe"])
        #expect(second.sent.all.map(\.id) == ["a", "b", "c", "d", "e", "probe", "f"])
        clock.advance(30)
        try await send("g", "h")
        #expect(first.sent.all.map(\.id).suffix(2) == ["g", "h"])
        #expect(second.sent.all.count == 7 && store.messages.allSatisfy { $0.status == .sent })
    }

    @Test("A message for which the service had no worker goes to the next route, and its route counts as healthy")
    func untried() async throws {
        let (store, second) = (PlayedMessages([]), PlayedRoute("second"))
        let busy = PlayedRoute { _, _ in .failed(SendingFailure(.timeout, "no worker", isAbandoned: true)) }
        let worker = try worker(store, [busy, second])
        for number in 0..<5 {
            store.add(try TestApp.message("msg_\(number)"))
            try await worker.deliverDue()
        }
        #expect(busy.sent.all.count == 5 && second.sent.all.count == 5)
        #expect(store.messages.allSatisfy { $0.status == .sent } && observer.notices.isEmpty)
    }

    // Proves: M2
    @Test("A slow recipient delays no other, and a hanging route of one channel not the other channel")
    func slow() async throws {
        let gate = Gate()
        let store = PlayedMessages([
            try TestApp.message("msg_1", to: try TestApp.mail("slow@example.com")), try TestApp.message("msg_2"),
            try TestApp.message("msg_3", to: try TestApp.phone()),
        ])
        let mail = PlayedRoute("mail") { message, _ in
            if message.to == "slow@example.com" { await gate.wait() }
            return .accepted(reference: nil)
        }
        let sms = PlayedRoute("sms", .sms)
        let worker = try worker(store, [mail, sms])
        async let delivered: Void = worker.deliverDue()
        await gate.isReached()
        while store.messages.count(where: { $0.status == .sent }) < 2 { await Task.yield() }
        #expect(store.messages[0].status == .pending)
        gate.open()
        try await delivered
        #expect(store.messages.map(\.status) == [.sent, .sent, .sent])
    }

    // Proves: M2
    @Test("A queue of a route that hangs has 16 messages in progress at most")
    func width() async throws {
        let gate = Gate()
        let store = PlayedMessages(try (0..<40).map { try TestApp.message("msg_\($0)") })
        let route = PlayedRoute { _, _ in
            await gate.wait()
            return .accepted(reference: nil)
        }
        let worker = try worker(store, [route])
        async let first: Void = worker.deliverDue()
        await gate.isReached(by: MessageOutbox.width)
        try await worker.deliverDue()
        #expect(route.sent.all.count == MessageOutbox.width)
        gate.open()
        try await first
        #expect(store.messages.allSatisfy { $0.status == .sent } && route.sent.all.count == 40)
    }
}
