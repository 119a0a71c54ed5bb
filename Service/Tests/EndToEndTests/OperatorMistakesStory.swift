import Foundation
import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import Testing

@Suite("Misspelled calls of operators", .eachStore)
struct OperatorMistakesStory {
    @Test("A misspelled setting is refused, and the stored one stays")
    func setting() async throws {
        let world = try await ServiceWorld()
        try await world.manage("/config/sessions", json: #"{"access_token_lifetime":120}"#, method: .put)
        let answer = try await world.manage("/config/sessions", json: #"{"acces_token_lifetime":60}"#, method: .put)
        #expect(answer.status == 400 && answer.code == "bad_request")
        #expect(
            answer.body["message"]?.stringValue
                == "acces_token_lifetime is unknown; did you mean access_token_lifetime?")
        guard case .object(let config) = try await world.manage("/config/sessions").body["config"] else {
            return #expect(Bool(false), "no configuration")
        }
        #expect(config["access_token_lifetime"] == .int(120))
    }

    @Test(
        "Null is no way to leave a member out, and an unknown member is named before a missing one",
        arguments: [
            ("/keys", #"{"name":"x","role":null}"#, "role must not be null; leave the member out"),
            ("/config/sessions", #"{"idle_lifetime":null}"#, "idle_lifetime must not be null; leave the member out"),
            ("/config/delivery", #"{"email":[],"sms":null}"#, "sms must not be null; leave the member out"),
            (
                "/users/usr_1/password", #"{"password":"a","revoke_sessions":null}"#,
                "revoke_sessions must not be null; leave the member out"
            ),
            ("/users/usr_1/external_id", "{}", "external_id is required"),
            ("/users/usr_1/external_id", #"{"external_id":1}"#, "external_id must be a string or null"),
            ("/config/cors", #"{"allowed_origin":[]}"#, "allowed_origin is unknown; did you mean allowed_origins?"),
        ])
    func null(_ path: String, _ json: String, _ message: String) async throws {
        let answer = try await ServiceWorld().manage(path, json: json, method: path == "/keys" ? .post : .put)
        #expect(answer.status == 400 && answer.body["message"]?.stringValue == message, "\(answer.body)")
    }

    @Test("The identifier that another user has is named by its place")
    func taken() async throws {
        let world = try await ServiceWorld()
        func create(_ names: String...) async throws -> String {
            let list = names.map { #"{"type":"email_address","value":"\#($0)@example.com"}"# }.joined(separator: ",")
            let answer = try await world.manage("/users", json: #"{"identifiers":[\#(list)]}"#)
            return "\(answer.status) " + (answer.body["field"]?.stringValue ?? "")
        }
        #expect(try await create("ada") == "201 ")
        #expect(try await create("ada") == "409 identifiers[0]")
        #expect(try await create("bob", "ada") == "409 identifiers[1]")
    }

    @Test("What was read can be sent back", arguments: ["sessions", "limits", "notices"])
    func roundTrip(_ name: String) async throws {
        let world = try await ServiceWorld()
        let config = try #require(try await world.manage("/config/\(name)").body["config"])
        let json = String(decoding: try JSONEncoder().encode(config), as: UTF8.self)
        let answer = try await world.manage("/config/\(name)", json: json, method: .put)
        #expect(answer.status == 200, "\(answer.body)")
    }

    @Test(
        "A misspelled or repeated filter never returns everything",
        arguments: [
            ("/users?statsu=suspended", "statsu is not a parameter of this call; did you mean status?"),
            ("/users?limit=1&ofset=1", "ofset is not a parameter of this call; did you mean offset?"),
            ("/users?status=gone", "status must be active, inactive or suspended"),
            ("/users?status=active&external_id=1", "external_id must not be set together with status"),
            ("/users?external_id=1&identifier_value=a", "identifier_value must not be set together with external_id"),
            ("/users?identifier_value=a", "identifier_type must be phone_number or email_address"),
            ("/users?identifier_type=email_address", "identifier_value is required with identifier_type"),
            ("/events?offset=10001", "offset must be a number from 0 to 10000"),
            ("/events?user=usr_1", "user is not a parameter of this call; did you mean user_id?"),
            ("/users/usr_1/sessions?country=FR", "country is not a parameter of this call; did you mean country_code?"),
            (
                "/webhooks/web_1/deliveries?x=1",
                "x is not a parameter of this call; it has cursor, limit, offset"
            ),
            ("/users?offset=2147483648", "offset must be a number from 0 to 2147483647"),
            (
                "/events?name=user.sesion.created",
                "name must be the name of an event, such as login.failed, or a family, such as login.*; "
                    + "did you mean user.session.created?"
            ),
            ("/config/sessions?x=1", "x is not a parameter of this call, which has none"),
            ("/users/usr_1/sessions?device_type=mobile&device_type=tablet", "device_type must not be repeated"),
            ("/users?status=active&limit=1&status=active", "status must not be repeated"),
            ("/events?nam=a&nam=b", "nam is not a parameter of this call; did you mean name?"),
        ])
    func filter(_ path: String, message: String) async throws {
        let answer = try await ServiceWorld().manage(path)
        #expect(answer.status == 400 && answer.body["message"]?.stringValue == message, "\(answer.body)")
        #expect(answer.body["field"]?.stringValue == message.split(separator: " ").first.map(String.init))
    }

    @Test("The field of an invalid identifier in a list has its number", arguments: ["/users", "/users/batch_lookup"])
    func listed(_ path: String) async throws {
        let json =
            #"{"identifiers":[{"type":"phone_number","value":"+14155551234"},{"type":"phone_number","value":"1"}]}"#
        let answer = try await ServiceWorld().manage(path, json: json)
        #expect(answer.code == "invalid_identifier" && answer.body["field"]?.stringValue == "identifiers[1]")
    }

    @Test("A call that reads nothing knows no filter", arguments: [HTTPRequest.Method.post, .delete])
    func filterOfWrite(_ method: HTTPRequest.Method) async throws {
        let path = method == .post ? "/users?status=active" : "/users/usr_1/sessions/ses_1?limit=1"
        let answer = try await ServiceWorld().manage(path, json: "{}", method: method)
        #expect(answer.status == 400)
        #expect(
            answer.body["message"]?.stringValue?.hasSuffix("is not a parameter of this call, which has none") == true)
    }

    @Test("Users are found by status and by external id")
    func users() async throws {
        let world = try await ServiceWorld()
        for (name, id) in [("ada", "4711"), ("bob", "4712")] {
            let json =
                #"{"identifiers":[{"type":"email_address","value":"\#(name)@example.com"}],"external_id":"\#(id)"}"#
            #expect(try await world.manage("/users", json: json).status == 201)
        }
        let found = try await world.manage("/users?external_id=4712").body
        #expect(found["total"] == .int(1))
        let id = try #require(self.id(in: found))
        try await world.manage("/users/\(id)/status", json: #"{"status":"suspended"}"#, method: .put)
        let suspended = try await world.manage("/users?status=suspended").body
        #expect(suspended["total"] == .int(1))
        #expect(self.id(in: suspended) == id)
        #expect(try await world.manage("/users").body["total"] == .int(2))
        #expect(try await world.manage("/users?external_id=none").status == 404)
    }

    /// The id of the first user of a list.
    private func id(in list: [String: PreludeJSONValue]) -> String? {
        guard case .array(let users) = list["users"], case .object(let user) = users.first else { return nil }
        return user["id"]?.stringValue
    }
}
