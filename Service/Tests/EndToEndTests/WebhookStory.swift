import Foundation
import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import SessionTokens
import Testing

@Suite("Webhooks", .eachStore)
struct WebhookStory {
    private static let url = "https://ops.example.com/events"

    private func activated(_ world: ServiceWorld, events: String = "[]") async throws -> String {
        world.operatorEndpoints.serve(Self.url) { request throws(EgressError) in
            let challenge = request.url.split(separator: "challenge=").last?.prefix { $0.isNumber } ?? ""
            let body = request.method == .get ? #"{"challenge": \#(challenge)}"# : "{}"
            return EgressAnswer(status: 200, body: Data(body.utf8))
        }
        let made = try await world.manage("/webhooks", json: #"{"url": "\#(Self.url)", "events": \#(events)}"#)
        try #require(made.status == 201)
        #expect(made.body["status"]?.stringValue == "inactive")
        let id = try #require(made.body["id"]?.stringValue)
        let active = try await world.manage("/webhooks/\(id)/activate", method: .post)
        #expect(active.status == 200 && active.body["status"]?.stringValue == "active")
        return id
    }

    private func delivered(_ world: ServiceWorld) throws -> [[String]] {
        struct Body: Decodable {
            struct Entry: Decodable { let name: String }
            let events: [Entry]
        }
        return try world.operatorEndpoints.requests.filter { $0.method == .post }.map { request in
            try JSONDecoder().decode(Body.self, from: request.body).events.map(\.name)
        }
    }

    @Test("Events are delivered in order, and not again after they are acknowledged")
    func wholeStory() async throws {
        let world = try await ServiceWorld()
        let id = try await activated(world)
        let client = try await world.signedIn()
        try await client.logout()
        await client.revokeEndedSessions()
        try await world.service.webhookWorker.deliverDue()
        #expect(try delivered(world) == [["user.created", "user.session.created", "user.session.revoked"]])
        try await world.service.webhookWorker.deliverDue()
        #expect(try delivered(world).count == 1)
        let log = try await world.manage("/webhooks/\(id)/deliveries")
        guard case .array(let entries) = log.body["deliveries"] else { return #expect(Bool(false), "no log") }
        #expect(entries.count == 3)
    }

    // Proves: H24
    @Test("A failed delivery is retried after one minute, then two, with the same ids")
    func retries() async throws {
        let world = try await ServiceWorld()
        _ = try await activated(world)
        world.operatorEndpoints.serve(Self.url, json: "no", status: 500)
        _ = try await world.signedIn()
        try await world.service.webhookWorker.deliverDue()
        #expect(try delivered(world).count == 1)
        world.clock.advance(seconds: 59)
        try await world.service.webhookWorker.deliverDue()
        #expect(try delivered(world).count == 1)
        world.clock.advance(seconds: 1)
        try await world.service.webhookWorker.deliverDue()
        #expect(try delivered(world).count == 2)
        let bodies = world.operatorEndpoints.requests.filter { $0.method == .post }.map(\.body)
        #expect(bodies[0] == bodies[1])
        world.clock.advance(seconds: 119)
        try await world.service.webhookWorker.deliverDue()
        #expect(try delivered(world).count == 2)
    }

    @Test("An inactive webhook receives nothing, and a new URL drops pending deliveries")
    func inactive() async throws {
        let world = try await ServiceWorld()
        let id = try await activated(world)
        _ = try await world.signedIn()
        let moved = try await world.manage(
            "/webhooks/\(id)", json: #"{"url": "https://ops.example.com/other"}"#, method: .put)
        #expect(moved.body["status"]?.stringValue == "inactive")
        _ = try await world.signedIn("eve@example.com")
        try await world.service.webhookWorker.deliverDue()
        #expect(try delivered(world) == [])
    }

    @Test("An endpoint that does not return the challenge is not activated")
    func activation() async throws {
        let world = try await ServiceWorld()
        world.operatorEndpoints.serve(Self.url, json: #"{"challenge": 1}"#)
        let made = try await world.manage("/webhooks", json: #"{"url": "\#(Self.url)"}"#)
        let id = try #require(made.body["id"]?.stringValue)
        let answer = try await world.manage("/webhooks/\(id)/activate", method: .post)
        #expect(answer.status == 400)
        #expect(answer.body["message"]?.stringValue?.hasPrefix("url could not be activated") == true)
    }

    @Test("A webhook receives only the events that it subscribed to")
    func filter() async throws {
        let world = try await ServiceWorld()
        _ = try await activated(world, events: #"["user.session.revoked"]"#)
        let client = try await world.signedIn()
        try await client.logout()
        await client.revokeEndedSessions()
        try await world.service.webhookWorker.deliverDue()
        #expect(try delivered(world) == [["user.session.revoked"]])
    }

    @Test("A subscription to an unknown event is rejected")
    func unknownEvent() async throws {
        let answer = try await ServiceWorld().manage(
            "/webhooks", json: #"{"url": "\#(Self.url)", "events": ["user.exploded"]}"#)
        #expect(answer.status == 400)
        #expect(answer.body["message"]?.stringValue?.hasPrefix("events must be some of") == true)
    }
}
