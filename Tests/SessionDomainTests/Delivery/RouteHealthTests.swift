import Testing

@testable import SessionDomain

@Suite("When a failing route is reported")
struct RouteHealthTests {
    private static let refused = MessageFailure(route: "smtp", stage: "connection", reason: "refused")
    private static let unconfigured = MessageFailure.configuration("no delivery by email is configured")

    private let health = RouteHealth()

    private func note(_ attempt: MessageAttempt, to phone: Bool = false) throws -> ServiceNotice? {
        health.note(attempt, of: try phone ? TestApp.message(to: try TestApp.phone()) : TestApp.message())
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
            try note(.postponed(Self.unconfigured))
                == .routeFailed(app: try appID(), channel: .email, failure: Self.unconfigured))
        #expect(try note(.undeliverable(Self.unconfigured)) == nil)
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

    @Test("The text names app, channel, route and reason, and the command that shows the remedy")
    func text() throws {
        let text = "\(ServiceNotice.routeFailed(app: try appID(), channel: .email, failure: Self.refused))"
        #expect(text.contains("app \(try appID()) are not sent by email: smtp: connection: refused. "))
        #expect(text.contains("`prelude-session delivery test --app \(try appID())`"))
    }
}
