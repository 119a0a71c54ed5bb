import Testing

@testable import SessionDomain

@Suite("When a failing route is reported")
struct RouteHealthTests {
    private static let refused = MessageFailure(route: "smtp", stage: "connection", reason: "refused")
    private static let unconfigured = MessageFailure.configuration("no delivery by email is configured")

    private let health = RouteHealth()

    private func note(
        _ attempt: MessageAttempt, to phone: Bool = false, by route: Int? = 0, at time: Int64 = 0
    ) throws -> ServiceNotice? {
        health.note(
            attempt, of: try phone ? TestApp.message(to: try TestApp.phone()) : TestApp.message(), by: route, at: time)
    }

    private static func failed(_ failure: MessageFailure) -> MessageAttempt {
        .routed(.failed(failure, isRejected: false, isFinal: false, route: 0, of: 1))
    }

    @Test("It is reported once when it begins and once when it ends, for each channel")
    func transitions() throws {
        let (app, taken) = (try appID(), MessageAttempt.routed(.accepted(by: "smtp", reference: nil)))
        #expect(try note(taken) == nil)
        for _ in 0..<2 {
            let failed = ServiceNotice.routeFailed(app: app, channel: .email, failure: Self.refused)
            #expect(try note(Self.failed(Self.refused)) == failed)
            #expect(try note(Self.failed(Self.refused)) == nil)
            #expect(
                try note(Self.failed(Self.refused), to: true)
                    == .routeFailed(app: app, channel: .sms, failure: Self.refused))
            #expect(try note(taken) == .routeRecovered(app: app, channel: .email, route: "smtp"))
            #expect(try note(taken) == nil)
            #expect(try note(taken, to: true) == .routeRecovered(app: app, channel: .sms, route: "smtp"))
        }
    }

    @Test("A channel without a route is reported once, and a route that takes a message ends it")
    func configuration() throws {
        #expect(
            try note(.postponed(Self.unconfigured), by: nil)
                == .routeFailed(app: try appID(), channel: .email, failure: Self.unconfigured))
        #expect(try note(.undeliverable(Self.unconfigured), by: nil) == nil)
        #expect(
            try note(.routed(.accepted(by: "smtp", reference: nil)))
                == .routeRecovered(app: try appID(), channel: .email, route: "smtp"))
    }

    @Test("What concerns one message says nothing about its route", arguments: ["recipient", "content"])
    func oneMessage(stage: String) throws {
        #expect(try note(Self.failed(MessageFailure(route: "smtp", stage: stage, reason: "550"))) == nil)
        #expect(try note(.expired) == nil)
        #expect(try note(.withheld) == nil)
    }

    @Test("Two routes of the same kind are told apart: one that works does not report that the other one does")
    func positions() throws {
        let taken = MessageAttempt.routed(.accepted(by: "smtp", reference: nil))
        #expect(try note(Self.failed(Self.refused), by: 0) != nil)
        #expect(try note(taken, by: 1) == nil)
        #expect(try note(Self.failed(Self.refused), by: 0) == nil)
        #expect(try note(taken, by: 0) == .routeRecovered(app: try appID(), channel: .email, route: "smtp"))
    }

    // MARK: Keeping away from a route that fails

    private func route(_ count: Int = 2, at time: Int64 = 0, _ change: (inout QueuedMessage) -> Void = { _ in }) throws
        -> Int
    {
        health.route(for: try TestApp.message("msg_1", change), of: count, at: time)
    }

    // Proves: M3
    @Test("After three failures in a row messages start at the next route, but for one probe each 30 seconds")
    func breaker() throws {
        for _ in 0..<2 {
            #expect(try route() == 0)
            _ = try note(Self.failed(Self.refused), by: 0)
        }
        #expect(try route() == 0)
        _ = try note(Self.failed(Self.refused), by: 0, at: 1000)
        #expect(try [route(at: 1000), route(at: 30_999)] == [1, 1])
        #expect(try [route(at: 31_000), route(at: 31_001), route(at: 60_999)] == [0, 1, 1])
        #expect(try [route(at: 61_000), route(at: 61_000)] == [0, 1])
        _ = try note(.routed(.accepted(by: "smtp", reference: nil)), by: 0, at: 61_500)
        #expect(try [route(at: 61_500), route(at: 61_500)] == [0, 0])
    }

    // Proves: M3
    @Test("A success between failures, a rejected recipient or text, and an attempt that was no attempt do not count")
    func notCounted() throws {
        let taken = MessageAttempt.routed(.accepted(by: "smtp", reference: nil))
        let others: [MessageAttempt] = [
            Self.failed(MessageFailure(route: "smtp", stage: "recipient", reason: "550")),
            Self.failed(MessageFailure(route: "smtp", stage: "content", reason: "554")),
            .untried(MessageFailure(route: "smtp", stage: "timeout", reason: "no worker"), route: 0, of: 2),
            .interrupted,
        ]
        for attempt in [Self.failed(Self.refused), Self.failed(Self.refused), taken, Self.failed(Self.refused)] + others
        {
            _ = try note(attempt, by: 0)
        }
        #expect(try route() == 0)
        _ = try note(Self.failed(Self.refused), by: 0)
        #expect(try route() == 0)
        _ = try note(Self.failed(Self.refused), by: 0)
        #expect(try route() == 1)
    }

    @Test("A message stays with its route if there is no later one, or if that one fails or has rejected it, too")
    func noOther() throws {
        for _ in 0..<3 { _ = try note(Self.failed(Self.refused), by: 0) }
        #expect(try route(1) == 0)
        #expect(try route { $0.rejectedRoutes = [1] } == 0)
        #expect(try route { $0.route = 1 } == 1)
        #expect(try route(3) { $0.rejectedRoutes = [1] } == 2)
        for _ in 0..<3 { _ = try note(Self.failed(Self.refused), by: 1) }
        #expect(try route() == 0)
        #expect(try route(3) == 2)
    }

    @Test("A route fails now if its last failure was within the last hour: it may no longer exist")
    func failingNow() throws {
        _ = try note(Self.failed(Self.refused), by: 0, at: 1000)
        _ = try note(Self.failed(Self.refused), by: 1, at: 2000)
        #expect(health.failingCount(at: 3_600_999) == 2)
        #expect(health.failingCount(at: 3_601_000) == 1)
        _ = try note(Self.failed(Self.refused), by: 1, at: 3_601_500)
        #expect(health.failingCount(at: 3_602_000) == 1)
        _ = try note(.routed(.accepted(by: "smtp", reference: nil)), by: 1, at: 3_602_500)
        #expect(health.failingCount(at: 3_603_000) == 0)
    }

    @Test("The text names app, channel, route and reason, and the command that shows the remedy")
    func text() throws {
        let text = "\(ServiceNotice.routeFailed(app: try appID(), channel: .email, failure: Self.refused))"
        #expect(text.contains("app \(try appID()) are not sent by email: smtp: connection: refused. "))
        #expect(text.contains("`prelude-session delivery test --app \(try appID())`"))
    }

    @Test("The text has one full stop after a reason, whether the reason ends with one or not", arguments: ["", "."])
    func fullStop(end: String) throws {
        let failure = MessageFailure(route: "twilio", stage: "connection", reason: "x closed the connection" + end)
        let text = "\(ServiceNotice.routeFailed(app: try appID(), channel: .sms, failure: failure))"
        #expect(text.contains(": x closed the connection. They are"))
    }
}
