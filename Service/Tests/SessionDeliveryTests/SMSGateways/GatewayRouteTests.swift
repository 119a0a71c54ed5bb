import Foundation
import SessionDomain
import Testing

@testable import SessionDelivery

@Suite("Routes through gateways")
struct GatewayRouteTests {
    private static let settings = RouteSettings(kind: .vonage, username: "key1", from: "Shop")

    private func route(_ egress: FakeEgress, secret: RouteSecret? = .value("s3cret")) throws -> any MessageRoute {
        try #require(
            RouteBuilder(dependencies(egress)).route(Self.settings, secret: secret, channel: .sms, senderDomains: []))
    }

    @Test("One request is sent, within the timeout and the life of the code")
    func request() async throws {
        let egress = FakeEgress(200, #"{"messages":[{"status":"0","message-id":"0A"}]}"#)
        #expect(try await route(egress).send(message(.sms)) == .accepted(reference: "0A"))
        let twilio = RouteSettings(kind: .twilio, account: "AC", from: "Shop")
        let other = try #require(
            RouteBuilder(dependencies(egress)).route(twilio, secret: .value("s"), channel: .sms, senderDomains: []))
        _ = try await other.send(message(.sms, expiresAt: now + 3))
        #expect(egress.requests.map(\.timeout) == [10, 3])
        #expect(egress.requests[0].url == "https://rest.nexmo.com/sms/json")
        #expect(egress.requests[0].method == .post)
    }

    @Test("An expired message is not sent")
    func expired() async throws {
        let egress = FakeEgress(200, "{}")
        #expect(try await route(egress).send(message(.sms, expiresAt: now)).failure?.stage == .timeout)
        #expect(egress.requests.isEmpty)
    }

    @Test(
        "A call without an answer is a failure of its stage",
        arguments: [
            (.timedOut, .timeout), (.answerTooLarge, .response), (.cannotResolve("x"), .nameResolution),
            (.refusedAddress("x resolves to 10.0.0.1"), .addressRules), (.refusedURL("x"), .addressRules),
            (.connectionFailed("No connection"), .connection), (.connectionFailed("The certificate of x"), .tls),
        ] as [(EgressError, SendingFailure.Stage)])
    func noAnswer(error: EgressError, stage: SendingFailure.Stage) async throws {
        let result = try await route(FakeEgress(error)).send(message(.sms))
        guard case .failed(let failure) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(failure.stage == stage && failure.finding == nil)
        #expect(!failure.reason.contains("10.0.0.1"))
    }

    // Proves: M8
    @Test(
        "After a request that was sent, a missing or unreadable answer means that the message may be sent",
        arguments: [.timedOut, .answerTooLarge, .connectionFailed("closed")] as [EgressError])
    func unclear(error: EgressError) async throws {
        let result = try await route(FakeEgress(error, isConnected: true)).send(message(.sms))
        #expect(result == .failed(try #require(result.failure)) && result.failure?.finding == .mayBeSent)
    }

    @Test(
        "2xx is the result of an answer that cannot be read to its end, except for Vonage, whose errors have 2xx, too",
        arguments: [.timedOut, .answerTooLarge, .connectionFailed("closed")] as [EgressError])
    func cutAnswer(error: EgressError) async throws {
        let twilio = RouteSettings(kind: .twilio, account: "AC", from: "Shop")
        for settings in [twilio, RouteSettings(kind: .prelude)] {
            for (status, isAccepted) in [(201, true), (200, true), (500, false), (400, false)] {
                let egress = FakeEgress(error, isConnected: true, status: status)
                let route = RouteBuilder(dependencies(egress)).route(
                    settings, secret: .value("s"), channel: .sms, senderDomains: [])
                let result = try await #require(route).send(message(.sms))
                #expect(isAccepted ? result == .accepted(reference: nil) : result.failure?.finding == .mayBeSent)
            }
        }
        let vonage = try await route(FakeEgress(error, isConnected: true, status: 200)).send(message(.sms))
        #expect(vonage.failure?.finding == .mayBeSent)
    }

    @Test("A repeated message gets a connection of its own: that of the attempt before may be dead")
    func repeated() async throws {
        let egress = FakeEgress(200, "{}")
        for isRepeated in [false, true] { _ = try await route(egress).send(message(.sms, isRepeated: isRepeated)) }
        #expect(egress.requests.map(\.needsNewConnection) == [false, true])
    }

    @Test("An attempt that is cancelled before the gateway has the message says nothing about the gateway")
    func cancelled() async throws {
        for isConnected in [false, true] {
            let route = try route(FakeEgress(.connectionFailed("cancelled"), isConnected: isConnected))
            let sending = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await route.send(message(.sms))
            }
            let failure = try #require(try await sending.value.failure)
            #expect(failure.isAbandoned == !isConnected)
            #expect(failure.finding == (isConnected ? .mayBeSent : nil))
        }
    }

    @Test("A message with less than the least lifetime of the gateway is rejected, so that another route gets it")
    func tooLate() async throws {
        let egress = FakeEgress(200, "{}")
        let result = try await route(egress).send(message(.sms, expiresAt: now + 19))
        #expect(result == .rejected(try #require(result.failure)) && egress.requests.isEmpty)
    }

    @Test("A secret in a file that cannot be read is a failure, and nothing is sent")
    func secretFile() async throws {
        let egress = FakeEgress(200, "{}")
        let result = try await route(egress, secret: .file("/nowhere/secret")).send(message(.sms))
        #expect(result.failure?.stage == .authentication)
        #expect(egress.requests.isEmpty)
    }
}
