import Testing

@testable import SessionDomain

@Suite("What an attempt does to a message, as a table")
struct MessageAttemptTests {
    private static let failure = MessageFailure(route: "smtp", stage: "connection", reason: "refused")

    private static func failed(
        _ route: Int, of count: Int, isRejected: Bool = false, isFinal: Bool = false, mayBeSent: Bool = false
    ) -> MessageAttempt {
        var failure = failure
        failure.mayBeSent = mayBeSent
        return .routed(.failed(failure, isRejected: isRejected, isFinal: isFinal, route: route, of: count))
    }

    @Test(
        "A result ends the message, or says which route is due next and when",
        arguments: [
            (.routed(.accepted(by: "smtp", reference: nil)), .sent, 0, 0, 1), (.withheld, .withheld, 0, 0, 0),
            (.expired, .failed, 0, 0, 0), (.undeliverable(failure), .failed, 0, 0, 0),
            // The only route, and then the second one.
            (failed(0, of: 1), .pending, 0, 2, 1), (failed(0, of: 2), .pending, 1, 0, 1),
            // After the last route, the first one again.
            (failed(1, of: 2), .pending, 0, 2, 1), (failed(2, of: 3), .pending, 0, 2, 1),
            // A route that rejects is not tried again; an unknown recipient ends the message.
            (failed(0, of: 2, isRejected: true), .pending, 1, 0, 1),
            (failed(0, of: 1, isRejected: true), .failed, 0, 0, 1),
            (failed(0, of: 2, isRejected: true, isFinal: true), .failed, 0, 0, 1),
            (.postponed(failure), .pending, 0, 2, 1),
        ] as [(MessageAttempt, QueuedMessage.Status, Int, Int, Int)])
    func results(attempt: MessageAttempt, status: QueuedMessage.Status, route: Int, delay: Int, attempts: Int) throws {
        let next = try TestApp.message().after(attempt, at: now)
        #expect(next.status == status)
        #expect(next.route == route)
        #expect(next.nextAttemptAt == now + delay)
        #expect(next.attempts == attempts)
    }

    @Test("A route that has rejected a message is left out of later rounds")
    func rejectedRoutes() throws {
        var message = try TestApp.message().after(Self.failed(0, of: 3, isRejected: true), at: now)
        #expect(message.route == 1 && message.rejectedRoutes == [0])
        message = message.after(Self.failed(1, of: 3), at: now)
        #expect(message.route == 2)
        message = message.after(Self.failed(2, of: 3), at: now)
        #expect(message.route == 1 && message.nextAttemptAt == now + 8)
        message = message.after(Self.failed(1, of: 3, isRejected: true), at: now)
        message = message.after(Self.failed(2, of: 3, isRejected: true), at: now)
        #expect(message.status == .failed && message.attempts == 5)
    }

    // Proves: M8
    @Test("A message that may be sent gets one more attempt that may send it, by the next route or the same")
    func mayBeSent() throws {
        for count in [1, 2] {
            let first = try TestApp.message().after(Self.failed(0, of: count, mayBeSent: true), at: now)
            #expect(first.status == .pending && first.route == count - 1)
            let second = first.after(Self.failed(first.route, of: count, mayBeSent: true), at: now)
            #expect(second.status == .failed && second.attempts == 2)
        }
        // Attempts that send nothing do not count, and do not make it forget the one that may have.
        var message = try TestApp.message().after(Self.failed(0, of: 2, mayBeSent: true), at: now)
        for attempt in [Self.failed(1, of: 2), .postponed(Self.failure), Self.failed(0, of: 2), Self.failed(1, of: 2)] {
            message = message.after(attempt, at: message.nextAttemptAt)
            #expect(message.status == .pending && message.lastFailure?.mayBeSent == true)
        }
        message = message.after(Self.failed(0, of: 2, mayBeSent: true), at: message.nextAttemptAt)
        #expect(message.status == .failed && message.attempts == 6)
        let taken = try TestApp.message().after(Self.failed(0, of: 1, mayBeSent: true), at: now)
            .after(.routed(.accepted(by: "smtp", reference: nil)), at: now)
        #expect(taken.status == .sent)
    }

    @Test("Attempts are later each time, at most a minute apart, and none is after the end of the code's life")
    func backoff() throws {
        var message = try TestApp.message()
        var times: [Int64] = []
        while message.status == .pending {
            times.append(message.nextAttemptAt.seconds - now.seconds)
            message = message.after(Self.failed(0, of: 1), at: message.nextAttemptAt)
        }
        #expect(Array(times.prefix(8)) == [0, 2, 6, 14, 30, 62, 122, 182])
        #expect(times.last == 542)
        #expect(message.status == .failed && message.lastFailure == Self.failure)
    }

    @Test("A message that expires keeps the reason of its last failure, or says that it expired")
    func expiry() throws {
        let message = try TestApp.message()
        #expect(message.after(.expired, at: now).lastFailure?.stage == "expired")
        let tried = message.after(Self.failed(0, of: 1), at: now)
        #expect(tried.after(.expired, at: now + 600).lastFailure == Self.failure)
    }
}
