import Testing

@testable import SessionDomain

/// What happens when the process ends, or the clock jumps, while a message is on its way.
extension MessageOutboxTests {
    private struct Killed: Error {}

    // Proves: M1
    @Test("A message whose worker dies before its attempt is sent when the lease ends, and not earlier")
    func killedBeforeSending() async throws {
        let (store, route) = (PlayedMessages([try TestApp.message()]), PlayedRoute())
        _ = try await store.perform(
            ClaimMessage(
                in: MessageQueue(appID: try appID(), channel: .email, route: 0), now: now,
                leaseEnd: now + MessageOutbox.lease))
        clock.advance(MessageOutbox.lease - 1)
        try await worker(store, [route]).deliverDue()
        #expect(route.sent.all.isEmpty)
        clock.advance(1)
        try await worker(store, [route]).deliverDue()
        #expect(route.sent.all.map(\.id) == ["msg_1"])
        #expect(store.events.map(\.name) == [.codeSent])
    }

    // Proves: M1
    @Test("A message whose result is not stored is sent once more with the same id, and reported once")
    func killedBeforeRecording() async throws {
        let (store, route) = (PlayedMessages([try TestApp.message()]), PlayedRoute())
        store.fail { change in
            if case .replaceMessage(_, let new) = change, new.status == .sent { throw Killed() }
        }
        await #expect(throws: Killed.self) { try await worker(store, [route]).deliverDue() }
        store.fail(nil)
        for _ in 0..<2 {
            clock.advance(MessageOutbox.lease)
            try await worker(store, [route]).deliverDue()
        }
        #expect(route.sent.all.map(\.id) == ["msg_1", "msg_1"])
        #expect(Set(route.sent.all.map(\.code)) == [TestApp.code(of: try TestApp.message())])
        #expect(store.events.map(\.name) == [.codeSent])
    }

    @Test("A commit that has a place claims its message, which is then sent without another claim")
    func claimedByCommit() async throws {
        let (store, route, timer) = (PlayedMessages([]), PlayedRoute(), Gate())
        let worker = try worker(store, [route]) { _ in await timer.wait() }
        let queue = MessageQueue(appID: try appID(), channel: .email, route: 0)
        try await worker.delivering(in: queue, at: clock.now) { leaseEnd in
            #expect(leaseEnd == nil, "The worker does not run")
            let message = try TestApp.message("msg_1")
            store.add(message)
            return message
        }
        let running = Task { await worker.run() }
        while route.sent.all.count < 1 { await Task.yield() }
        await worker.settle()
        for _ in 0..<MessageOutbox.width {
            await #expect(throws: Killed.self) {
                try await worker.delivering(in: queue, at: clock.now) { _ in throw Killed() }
            }
        }
        store.fail { change in
            guard case .replaceMessage(let old, let new) = change else { return }
            #expect(old.nextAttemptAt == now + MessageOutbox.lease && new.status == .sent)
        }
        try await worker.delivering(in: queue, at: clock.now) { leaseEnd in
            let message = try TestApp.message("msg_2") { $0.nextAttemptAt = leaseEnd ?? $0.nextAttemptAt }
            store.add(message)
            return message
        }
        while route.sent.all.count < 2 { await Task.yield() }
        await worker.settle()
        #expect(store.messages.map(\.status) == [.sent, .sent] && observer.errors.isEmpty)
        running.cancel()
        await running.value
    }

    // Proves: O28
    @Test("A withheld message that its commit has claimed reaches no route, and costs one write like one that is sent")
    func withheldAfterCommit() async throws {
        let (store, route, timer, writes) = (PlayedMessages([]), PlayedRoute(), Gate(), Noted<[String]>([]))
        store.fail { change in
            guard case .replaceMessage(_, let new) = change else { return }
            writes.change { $0.append("\(new.id) \(new.status)") }
        }
        let worker = try worker(store, [route]) { _ in await timer.wait() }
        let running = Task { await worker.run() }
        await timer.isReached()
        for (id, withheld) in [("msg_1", LoginFailure.unknownUser), ("msg_2", nil)] {
            try await deliver(try TestApp.message(id, withheld: withheld), by: worker, store)
            await worker.settle()
        }
        #expect(writes.value == ["msg_1 withheld", "msg_2 sent"])
        #expect(route.sent.all.map(\.id) == ["msg_2"])
        #expect(store.events.map(\.name) == [.loginFailed, .codeSent] && observer.errors.isEmpty)
        running.cancel()
        await running.value
    }

    // Proves: M4
    @Test(
        "A message that its commit has claimed is not begun without time for an attempt, and is sent once when it is due",
        arguments: [
            (0, 0), (-1, 0), (-60, 0), (MessageOutbox.lease - MessageOutbox.timeout, 0),
            (MessageOutbox.lease - MessageOutbox.timeout + 1, MessageOutbox.timeout - 1), (MessageOutbox.lease, 0),
            (86_400, 0), (-61, 0), (-86_400, 0),
        ])
    func staleLease(jump: Int, wait: Int) async throws {
        let (store, route, timer, timeOver) = (PlayedMessages([]), PlayedRoute(), Gate(), Gate())
        let worker = try worker(store, [route]) { seconds in
            await (seconds == 1 ? timer : timeOver).wait()
        }
        let message = try TestApp.message { $0.nextAttemptAt = now + MessageOutbox.lease }
        let running = Task { await worker.run() }
        await timer.isReached()
        let isBegun = (-60...MessageOutbox.lease - MessageOutbox.timeout).contains(jump)
        try await deliver(message, by: worker, store) { clock.advance(jump) }
        await worker.settle()
        if isBegun { #expect(route.sent.all.count == 1) }
        if !DueTimes(now: clock.now).contains(now + MessageOutbox.lease) {
            worker.wake()
            await timer.isReached()
            await worker.settle()
            #expect(route.sent.all.count == (isBegun ? 1 : 0), "The lease has not ended")
        }
        clock.advance(wait)
        while store.messages.contains(where: { $0.status == .pending }) {
            worker.wake()
            await worker.settle()
            await Task.yield()
        }
        #expect(store.messages.map(\.status) == [jump < 600 ? .sent : .failed])
        #expect(route.sent.all.count == (jump < 600 ? 1 : 0))
        running.cancel()
        await running.value
    }

    /// Writes a message and has it delivered, as a call does.
    ///
    /// - Parameter afterCommit: Called before the worker hears of the message.
    private func deliver(
        _ message: QueuedMessage, by worker: OutboxWorker<MessageOutbox>, _ store: PlayedMessages,
        afterCommit: () -> Void = {}
    ) async throws {
        let queue = MessageQueue(appID: message.appID, channel: .email, route: 0)
        try await worker.delivering(in: queue, at: clock.now) { leaseEnd in
            var message = message
            message.nextAttemptAt = try #require(leaseEnd)
            store.add(message)
            afterCommit()
            return message
        }
    }

    @Test("The lease is longer than an attempt can take")
    func lease() {
        #expect(MessageOutbox.lease > MessageOutbox.timeout)
    }

    // Proves: M4
    @Test(
        "A message whose attempt the end of the process cancels is due again at once, if the route surely does not have it",
        arguments: [true, false])
    func interrupted(isAbandoned: Bool) async throws {
        let (gate, store) = (Gate(), PlayedMessages([try TestApp.message()]))
        let route = PlayedRoute { _, _ in
            await gate.wait()
            return .failed(SendingFailure(.timeout, "cancelled", isAbandoned: isAbandoned))
        }
        let worker = try worker(store, [route]) { _ in
            await Gate().wait()
            try Task.checkCancellation()
        }
        let running = Task { await worker.run() }
        await gate.isReached()
        clock.advance(3)
        running.cancel()
        await running.value
        #expect(observer.errors.isEmpty)
        #expect(store.messages.map(\.status) == [.pending])
        #expect(store.messages.map(\.attempts) == [0] && observer.notices.isEmpty)
        #expect(store.messages.map(\.nextAttemptAt) == [now + (isAbandoned ? 3 : MessageOutbox.lease)])
    }

    // Proves: M4
    @Test("A clock that jumps over the lease of a message that is being sent does not send it twice")
    func jump() async throws {
        for result in [SendingResult.accepted(reference: nil), .failed(SendingFailure(.response, "451"))] {
            let (gate, store) = (Gate(), PlayedMessages([try TestApp.message()]))
            let route = PlayedRoute { _, _ in
                await gate.wait()
                return result
            }
            let worker = try worker(store, [route])
            async let first: Void = worker.deliverDue()
            await gate.isReached()
            clock.advance(MessageOutbox.lease)
            try await worker.deliverDue()
            gate.open()
            try await first
            #expect(route.sent.all.count == 1)
            #expect(store.messages.map(\.attempts) == [1])
        }
    }

    @Test(
        "A claim whose answer comes after the result of an attempt that it did not see does not send the message again")
    func lateClaim() async throws {
        let (sending, claiming, messages) = (Gate(), Gate(), PlayedMessages([try TestApp.message()]))
        let route = PlayedRoute { _, _ in
            await sending.wait()
            return .accepted(reference: nil)
        }
        let worker = try worker(LateClaims(messages, after: 1, gate: claiming), [route])
        async let first: Void = worker.deliverDue()
        await sending.isReached()
        clock.advance(MessageOutbox.lease)
        async let second: Void = worker.deliverDue()
        await claiming.isReached()
        sending.open()
        try await first
        claiming.open()
        try await second
        #expect(route.sent.all.count == 1 && messages.messages.map(\.status) == [.sent])
    }

    @Test("A claim whose answer comes late does not begin the message: another claim could send it too")
    func slowClaim() async throws {
        let (claiming, messages, route) = (Gate(), PlayedMessages([try TestApp.message()]), PlayedRoute())
        let worker = try worker(LateClaims(messages, after: 0, gate: claiming), [route])
        async let first: Void = worker.deliverDue()
        await claiming.isReached()
        clock.advance(MessageOutbox.lease - 1)
        claiming.open()
        try await first
        #expect(route.sent.all.isEmpty)
        clock.advance(1)
        try await worker.deliverDue()
        #expect(route.sent.all.count == 1)
    }
}

/// A store that holds back the answer of a claim after its commit.
private final class LateClaims: MessageStore {
    private let messages: PlayedMessages
    private let prompt: Int
    private let gate: Gate
    private let count = Noted(0)

    /// - Parameter prompt: The number of claims that are answered at once. The next one waits.
    init(_ messages: PlayedMessages, after prompt: Int, gate: Gate) {
        self.messages = messages
        self.prompt = prompt
        self.gate = gate
    }

    func dueMessages(at times: DueTimes) async throws -> [(queue: MessageQueue, count: Int)] {
        try await messages.dueMessages(at: times)
    }

    func perform<I: Intent>(_ intent: I) async throws -> I.Outcome {
        let outcome = try await messages.perform(intent)
        if intent is ClaimMessage {
            count.change { $0 += 1 }
            if count.value == prompt + 1 { await gate.wait() }
        }
        return outcome
    }
}
