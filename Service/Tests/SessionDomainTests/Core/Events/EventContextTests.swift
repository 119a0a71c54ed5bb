import Foundation
import SessionTokens
import Testing

@testable import SessionDomain

@Suite("The context of an event")
struct EventContextTests {
    private let full = EventContext(
        actor: .init(.managementKey, id: "mk_1", name: "backend"), ip: "203.0.113.7", userAgent: "curl/8",
        device: Device(id: "id", model: "Pixel", type: "mobile", osVersion: "14", countryCode: "CH"), requestID: "req_1"
    )

    @Test("It has the wire names, and leaves out what is not known")
    func coding() throws {
        let text = String(decoding: try TokenJSON.encode(full), as: UTF8.self)
        #expect(
            text == """
                {"actor":{"id":"mk_1","name":"backend","type":"management_key"},"device":{"country_code":"CH","id":"id",\
                "model":"Pixel","os_version":"14","type":"mobile"},"ip":"203.0.113.7","request_id":"req_1",\
                "user_agent":"curl/8"}
                """)
        #expect(try JSONDecoder().decode(EventContext.self, from: Data(text.utf8)) == full)
        #expect(String(decoding: try TokenJSON.encode(EventContext()), as: UTF8.self) == "{}")
        #expect(try JSONDecoder().decode(EventContext.self, from: Data("{}".utf8)) == EventContext())
    }

    @Test("A factory gives its events the context of its task; without one, the service acts")
    func current() throws {
        #expect(try TestApp.events().make(.userCreated, [:]).context == EventContext(actor: .init(.service)))
        let factory = try EventContext.$current.withValue(full) { try TestApp.events() }
        #expect(factory.make(.userCreated, [:]).context == full)
        #expect(factory.of(.service).make(.userCreated, [:]).context == full)
    }

    @Test("A long user agent is cut")
    func userAgent() {
        #expect(EventContext(userAgent: String(repeating: "a", count: 1000)).userAgent?.count == 256)
    }

    // Proves: A5
    @Test("Webhooks receive an event without its context; lists show it")
    func bodies() throws {
        let event = try EventContext.$current.withValue(full) { try TestApp.events().make(.userCreated, [:]) }
        let sent = String(decoding: try TokenJSON.encode(EventBody(event)), as: UTF8.self)
        #expect(!sent.contains("203.0.113.7") && !sent.contains("context"))
        let listed = String(decoding: try TokenJSON.encode(AuditedEventBody(event)), as: UTF8.self)
        #expect(listed.contains(#""ip":"203.0.113.7""#) && !listed.contains("app_id"))
        let named = String(decoding: try TokenJSON.encode(AuditedEventBody(event, withAppID: true)), as: UTF8.self)
        #expect(named.contains(#""app_id":"domain1""#))
    }
}
