internal import SessionDomain
internal import Testing

enum MessageRules {
    private static let accepted = MessageAttempt.routed(.accepted(by: "smtp", reference: "250 ok"))

    private static func failed(route: Int = 0) -> MessageAttempt {
        let failure = MessageFailure(route: "smtp", stage: "connection", reason: "refused")
        return .routed(.failed(failure, isRejected: true, isFinal: false, route: route, of: 5))
    }

    static let all: [ContractRule] = [
        ContractRule("A message comes back as it was queued, in its app only") { world async throws in
            let message = try await world.queue("msg_1")
            #expect(try await world.message("msg_1") == message)
            let due = try await world.read { $0.message = .due(in: world.mailQueue, at: DueTimes(now: world.now)) }
            #expect(due.message == message)
            #expect(try await world.message("msg_2") == nil)
            let fresh = try await world.queue("msg_2") { message in
                message = QueuedMessage(
                    id: "msg_2", appID: world.app, recipient: message.recipient,
                    content: MessageContent(purpose: .notice, code: nil), context: EventContext(),
                    createdAt: world.now, expiresAt: world.now + 60)
            }
            #expect(try await world.message("msg_2") == fresh)
            try await world.queue("msg_3", app: world.otherApp)
            #expect(try await world.message("msg_3") == nil)
        },
        // Proves: O28
        ContractRule("A verification and its message are one commit, and a suppressed one has the same") {
            world async throws in
            for (token, signUp) in [("sent", true), ("suppressed", false)] {
                let mail = try world.mail("\(token)@example.com")
                let started = try await world.begin(mail, token: token, signUp: signUp)
                let queue = try await world.read {
                    $0.message = .due(in: world.mailQueue, at: DueTimes(now: world.now))
                }
                let message = try #require(queue.message)
                #expect(message.recipient == started.identifier)
                #expect(message.content.code == started.code.seed)
                #expect(message.content.locales == ["fr"] && message.content.sender.senderID == "sender")
                #expect(message.expiresAt == started.code.expiresAt)
                #expect((message.content.withheld != nil) == started.isSuppressed)
                #expect(message.context.requestID == "req_1")
                _ = try await world.record(Self.accepted, of: message, after: 0)
            }
            let limit = RateLimit(limit: 0, window: 600)
            let limited = world.verificationStart(try world.mail("c@example.com"), token: "limited", limit: limit)
            _ = try await world.store.perform(limited)
            #expect(try await world.due(after: 0) == [])
        },
        ContractRule("Due messages are counted by app, channel and route, longest due first") { world async throws in
            #expect(try await world.due(after: 0) == [])
            try await world.queue("msg_1", after: 3)
            try await world.queue("msg_2", app: world.otherApp, after: 2)
            try await world.queue("msg_3", to: try world.phone("+14155550100"), after: 1)
            try await world.queue("msg_4", route: 1, after: 4)
            try await world.queue("msg_5", after: 5)
            #expect(
                try await world.due(after: 4) == [
                    "contra1 sms 0: 1", "contra2 email 0: 1", "contra1 email 0: 1", "contra1 email 1: 1",
                ])
            #expect(try await world.due(after: 5).contains("contra1 email 0: 2"))
        },
        // Proves: M1
        ContractRule("Of many concurrent claims, one gets a message, until its lease ends") { world async throws in
            try await world.queue("msg_1", after: 1)
            #expect(try await world.claim(world.mailQueue, after: 0) == nil)
            let claimed = try await concurrently(16) { _ in try await world.claim(world.mailQueue, after: 1) }
            #expect(claimed.compactMap { $0?.id } == ["msg_1"])
            #expect(try await world.due(after: 45) == [])
            #expect(try await world.claim(world.mailQueue, after: 45) == nil)
            #expect(try await world.claim(world.mailQueue, after: 46)?.nextAttemptAt == world.now + 91)
        },
        ContractRule("Messages of a queue are claimed in the order in which they are due") { world async throws in
            for (index, seconds) in [3, 1, 2].enumerated() { try await world.queue("msg_\(index)", after: seconds) }
            var claimed: [String?] = []
            for _ in 0..<4 { claimed.append(try await world.claim(world.mailQueue, after: 5)?.id) }
            #expect(claimed == ["msg_1", "msg_2", "msg_0", nil])
        },
        // Proves: M4
        ContractRule("A message is due at its time, and when its time is far ahead because the clock was set back") {
            world async throws in
            for (seconds, isDue) in [(0, true), (1, false), (120, false), (121, true), (300, true)] {
                try await world.queue("msg_\(seconds)", after: seconds)
                #expect(try await world.due(after: 0) == (isDue ? ["\(world.app) email 0: 1"] : []), "\(seconds)")
                #expect(try await world.claim(world.mailQueue, after: 0)?.id == (isDue ? "msg_\(seconds)" : nil))
            }
        },
        ContractRule("A failed attempt goes on with the next route, and is no event") { world async throws in
            try await world.queue("msg_1")
            let claimed = try #require(try await world.claim(world.mailQueue, after: 0))
            let stored = try await world.record(Self.failed(), of: claimed, after: 1)
            #expect(stored?.route == 1 && stored?.nextAttemptAt == world.now + 1)
            #expect(try await world.message("msg_1") == stored)
            #expect(try await world.reported() == [])
            #expect(try await world.due(after: 1) == ["contra1 email 1: 1"])
        },
        ContractRule("The state of a message that was read before is the stored one, and nothing of another app or row")
        {
            world async throws in
            let queued = try await world.queue("msg_1") { $0.rejectedRoutes = [] }
            #expect(try await world.state(of: queued) == queued)
            let claimed = try #require(try await world.claim(world.mailQueue, after: 0))
            #expect(try await world.state(of: queued) == claimed)
            for (seconds, route) in [(1, 0), (2, 1)] {
                let known = try #require(try await world.message("msg_1"))
                let next = try await world.record(Self.failed(route: route), of: known, after: seconds)
                #expect(try await world.state(of: queued) == next && next?.rejectedRoutes != known.rejectedRoutes)
                #expect(try await world.message("msg_1") == next)
            }
            var unknown = queued
            unknown.route = 9
            #expect(try await world.state(of: unknown) == world.message("msg_1"), "A state is never taken over")
            let elsewhere = try await world.queue("msg_2", app: world.otherApp)
            let stranger = QueuedMessage(
                id: elsewhere.id, appID: world.app, recipient: elsewhere.recipient, content: elsewhere.content,
                context: elsewhere.context, createdAt: elsewhere.createdAt, expiresAt: elsewhere.expiresAt)
            #expect(try await world.state(of: stranger) == nil)
        },
        ContractRule("A message that was sent is never due again, and is reported once") { world async throws in
            try await world.queue("msg_1")
            let claimed = try #require(try await world.claim(world.mailQueue, after: 0))
            let results = try await concurrently(8) { _ in
                try await world.record(Self.accepted, of: claimed, after: 1)
            }
            #expect(results.compactMap { $0?.status } == [.sent])
            #expect(try await world.record(Self.failed(), of: claimed, after: 2) == nil)
            #expect(try await world.due(after: 86_400) == [])
            #expect(try await world.reported().map(\.name) == [.codeSent])
        },
        // Proves: M1
        ContractRule("After the end of a lease only an acceptance counts") { world async throws in
            try await world.queue("msg_1")
            let late = try #require(try await world.claim(world.mailQueue, after: 0))
            let current = try #require(try await world.claim(world.mailQueue, after: 45))
            #expect(try await world.record(Self.failed(), of: late, after: 46) == nil)
            #expect(try await world.message("msg_1") == current)
            #expect(try await world.record(Self.accepted, of: late, after: 47)?.status == .sent)
            #expect(try await world.record(Self.accepted, of: current, after: 48) == nil)
            #expect(try await world.reported().count == 1)
        },
        ContractRule("A finished message is deleted when it has expired; a pending one stays") { world async throws in
            try await world.queue("msg_1")
            try await world.queue("msg_2", after: 1)
            let claimed = try #require(try await world.claim(world.mailQueue, after: 0))
            _ = try await world.record(Self.accepted, of: claimed, after: 1)
            #expect(try await world.deleteExpired(now: world.now + 599, limit: 100) == 0)
            #expect(try await world.deleteExpired(now: world.now + 86_400, limit: 100) == 1)
            #expect(try await world.message("msg_1") == nil)
            #expect(try await world.message("msg_2") != nil)
        },
    ]
}
