import Testing

@testable import SessionDomain

/// What happens when the process ends, or the clock jumps, while a message is on its way.
extension MessageOutboxTests {
    private struct Killed: Error {}

    @Test("A message whose courier dies before its attempt is sent when the lease ends, and not earlier")
    func killedBeforeSending() async throws {
        let (store, route) = (PlayedMessages([try TestApp.message()]), PlayedRoute())
        _ = try await store.perform(
            ClaimMessage(
                in: MessageLane(appID: try appID(), channel: .email, route: 0), now: now,
                leaseEnd: now + MessageOutbox.lease))
        clock.advance(MessageOutbox.lease - 1)
        try await courier(store, [route]).deliverDue()
        #expect(route.sent.all.isEmpty)
        clock.advance(1)
        try await courier(store, [route]).deliverDue()
        #expect(route.sent.all.map(\.id) == ["msg_1"])
        #expect(store.events.map(\.name) == [.codeSent])
    }

    @Test("A message whose result is not stored is sent once more with the same id, and reported once")
    func killedBeforeRecording() async throws {
        let (store, route) = (PlayedMessages([try TestApp.message()]), PlayedRoute())
        store.fail { change in
            if case .replaceMessage(_, let new) = change, new.status == .sent { throw Killed() }
        }
        await #expect(throws: Killed.self) { try await courier(store, [route]).deliverDue() }
        store.fail(nil)
        for _ in 0..<2 {
            clock.advance(MessageOutbox.lease)
            try await courier(store, [route]).deliverDue()
        }
        #expect(route.sent.all.map(\.id) == ["msg_1", "msg_1"])
        #expect(Set(route.sent.all.map(\.code)) == [TestApp.code(of: try TestApp.message())])
        #expect(store.events.map(\.name) == [.codeSent])
    }

    @Test("The lease is longer than an attempt can take")
    func lease() {
        #expect(MessageOutbox.lease > MessageOutbox.timeout)
    }

    @Test(
        "A message whose attempt the end of the process cancels is due again at once, if the route surely does not have it",
        arguments: [true, false])
    func interrupted(isAbandoned: Bool) async throws {
        let (gate, store) = (Gate(), PlayedMessages([try TestApp.message()]))
        let route = PlayedRoute { _, _ in
            await gate.wait()
            return .failed(SendingFailure(.timeout, "cancelled", isAbandoned: isAbandoned))
        }
        let courier = try courier(store, [route]) { _ in
            await Gate().wait()
            try Task.checkCancellation()
        }
        let running = Task { await courier.run() }
        await gate.isReached()
        clock.advance(3)
        running.cancel()
        await running.value
        #expect(observer.errors.isEmpty)
        #expect(store.messages.map(\.status) == [.pending])
        #expect(store.messages.map(\.attempts) == [0] && observer.notices.isEmpty)
        #expect(store.messages.map(\.nextAttemptAt) == [now + (isAbandoned ? 3 : MessageOutbox.lease)])
    }

    @Test("A clock that jumps over the lease of a message that is being sent does not send it twice")
    func jump() async throws {
        for result in [SendingResult.accepted(reference: nil), .failed(SendingFailure(.response, "451"))] {
            let (gate, store) = (Gate(), PlayedMessages([try TestApp.message()]))
            let route = PlayedRoute { _, _ in
                await gate.wait()
                return result
            }
            let courier = try courier(store, [route])
            async let first: Void = courier.deliverDue()
            await gate.isReached()
            clock.advance(MessageOutbox.lease)
            try await courier.deliverDue()
            gate.open()
            try await first
            #expect(route.sent.all.count == 1)
            #expect(store.messages.map(\.attempts) == [1])
        }
    }
}
