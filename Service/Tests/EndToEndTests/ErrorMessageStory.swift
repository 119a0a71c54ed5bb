import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionWire
import Testing

/// Error messages name the field, and repeat nothing that could be a secret or harm a reader.
@Suite("Messages of errors", .eachStore)
struct ErrorMessageStory {
    @Test(
        "An error message repeats an unknown member name only if it is short and plain",
        arguments: [
            ("note", "metadata.note must be a string"), ("my note", "metadata.[?] must be a string"),
            (String(repeating: "n", count: 65), "metadata.[?] must be a string"),
            ("", "metadata.[?] must be a string"), ("\u{202E}", "metadata.[?] must be a string"),
        ])
    func strangeNames(_ name: String, message: String) async throws {
        let world = try await ServiceWorld()
        let device = try await RawDevice(world)
        let answer = try await device.send(
            .stepUpRequest, json: "{\"scope\":\"a\",\"metadata\":{\"\(name)\":1}}",
            RawDevice.Credentials(scheme: "Bearer", accessToken: device.accessToken))
        #expect(answer.status == 400)
        #expect(answer.body["message"]?.stringValue == message)
    }

    @Test(
        "A 404 message does not repeat the missing id, because it could be a secret",
        arguments: [
            ("DELETE", "keys/psk_secret", ""), ("POST", "keys/psk_secret/rotate", "{}"),
            ("DELETE", "config/login/otp/psk_secret", ""), ("GET", "config/login/otp/psk_secret", ""),
            ("GET", "webhooks/psk_secret", ""), ("PUT", "webhooks/psk_secret", #"{"url":"https://b.example"}"#),
            ("DELETE", "config/scopes?scope=psk_secret", ""), ("GET", "users/psk_secret", ""),
        ])
    func notThere(method: String, path: String, json: String) async throws {
        let world = try await ServiceWorld {
            $0.stepUp = StepUpConfig(jwksURL: nil, stepKeys: [], rules: [], at: $0.createdAt)
        }
        let key = try await world.service.managementKeys.create(name: "test", app: nil).secret
        let answer = try await world.call(
            "/v2/session/apps/testapp/" + path, json: json.isEmpty ? nil : json,
            headers: ["authorization": "Bearer " + key], method: HTTPRequest.Method(method))
        #expect(answer.status == 404)
        let message = try #require(answer.body["message"]?.stringValue)
        #expect(message.contains("no such") && !message.contains("psk_secret"))
    }

    @Test("A name has at most 100 characters, combining marks included")
    func longName() async throws {
        let world = try await ServiceWorld()
        let key = try await world.service.managementKeys.create(name: "test", app: nil).secret
        let name = "a" + String(repeating: "\u{301}", count: 100)
        for (method, path) in [(HTTPRequest.Method.post, "/keys"), (.patch, "")] {
            let answer = try await world.call(
                "/v2/session/apps/testapp" + path, json: "{\"name\":\"\(name)\"}",
                headers: ["authorization": "Bearer " + key], method: method)
            #expect(answer.status == 400)
            let message = "name must have 1 to 100 characters, without control or formatting characters"
            #expect(answer.body["message"]?.stringValue == message)
        }
    }

    @Test("A claim with an unusual name is rejected without repeating the name")
    func strangeClaim() async throws {
        let world = try await ServiceWorld()
        let key = try await world.service.managementKeys.create(name: "test", app: nil).secret
        for (name, message) in [
            ("a b", ".$input must be one of"), (#"\u202ea b"#, " must be one line, without control characters"),
        ] {
            let answer = try await world.call(
                "/v2/session/apps/testapp/config/claims",
                json: "{\"mapping\":{\"\(name)\":{\"$input\":\"shoe size\"}}}",
                headers: ["authorization": "Bearer " + key])
            #expect(answer.status == 400)
            #expect(answer.body["message"]?.stringValue?.hasPrefix("mapping.[?]" + message) == true, "\(answer.body)")
        }
    }
}
