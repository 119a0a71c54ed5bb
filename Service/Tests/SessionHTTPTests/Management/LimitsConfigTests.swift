import Foundation
import HTTPTypes
import SessionDomain
import SessionTokens
import Testing

@testable import SessionHTTP

@Suite("Limits in the management API")
struct LimitsConfigTests {
    private func limits(_ json: String) throws(Refusal) -> LimitSettings {
        let limits = try JSONBody.readExactly(SettingsBody<LimitSettings>.self, from: Data(json.utf8))
            .settings(replacing: LimitSettings())
        try LimitSettings.schema.check(limits)
        return limits
    }

    @Test("A missing member gets its default")
    func defaults() throws {
        #expect(try limits("{}") == LimitSettings())
    }

    // Proves: O30
    @Test("Every limit is read and written")
    func members() throws {
        let json =
            #"{"allowed_prefixes":["+33","+1415"],"app_sends_per_day":11,"calling_code_sends_per_day":12,"#
            + #""checks_per_code":4,"code_lifetime":99,"consecutive_failed_checks":15,"#
            + #""delivery_tests":{"limit":28,"window":29},"failed_checks":{"limit":16,"window":17},"#
            + #""failed_checks_per_day":18,"failures_per_address":{"limit":13,"window":14},"#
            + #""invalid_calls_per_address":{"limit":20,"window":21},"migrations_per_address":{"limit":30,"window":31},"#
            + #""notices_per_day":32,"number_range_sends_per_day":35,"resend_delay":19,"#
            + #""send_hook":{"if_unavailable":"deny","url":"https://a.example"},"sends_per_day":22,"sends_per_hour":23,"#
            + #""sends_per_verification":6,"starts":{"limit":24,"window":25},"#
            + #""starts_per_address":{"limit":26,"window":27},"step_ups":{"limit":33,"window":34}}"#
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = LimitSettings.schema.json(try limits(json))
        #expect(String(decoding: try encoder.encode(body), as: UTF8.self) == json)
    }

    // Proves: O30, O34
    @Test(
        "A limit that is out of range is rejected by its name",
        arguments: [
            (#"{"code_lifetime":601}"#, "code_lifetime"), (#"{"code_lifetime":59}"#, "code_lifetime"),
            (#"{"checks_per_code":0}"#, "checks_per_code"), (#"{"checks_per_code":11}"#, "checks_per_code"),
            (#"{"resend_delay":601}"#, "resend_delay"), (#"{"sends_per_verification":0}"#, "sends_per_verification"),
            (#"{"starts":{"limit":-1,"window":60}}"#, "starts.limit"),
            (#"{"starts":{"limit":1,"window":0}}"#, "starts.window"),
            (#"{"failed_checks":{"limit":1,"window":86401}}"#, "failed_checks.window"),
            (#"{"failed_checks_per_day":-1}"#, "failed_checks_per_day"),
            (#"{"consecutive_failed_checks":100}"#, "consecutive_failed_checks"),
            (#"{"consecutive_failed_checks":0}"#, "consecutive_failed_checks"),
            (#"{"sends_per_hour":-1}"#, "sends_per_hour"), (#"{"sends_per_day":1000001}"#, "sends_per_day"),
            (#"{"app_sends_per_day":-1}"#, "app_sends_per_day"),
            (#"{"calling_code_sends_per_day":-1}"#, "calling_code_sends_per_day"),
            (#"{"number_range_sends_per_day":-1}"#, "number_range_sends_per_day"),
            (#"{"send_hook":{"url":"https://a.example","if_unavailable":"no"}}"#, "send_hook.if_unavailable"),
            (#"{"allowed_prefixes":["33"]}"#, "allowed_prefixes"), (#"{"allowed_prefixes":["+"]}"#, "allowed_prefixes"),
            (#"{"allowed_prefixes":["+0"]}"#, "allowed_prefixes"),
            (#"{"starts_per_address":{"limit":1,"window":86401}}"#, "starts_per_address.window"),
            (#"{"failures_per_address":{"limit":1,"window":86401}}"#, "failures_per_address.window"),
            (#"{"invalid_calls_per_address":{"limit":1,"window":3601}}"#, "invalid_calls_per_address.window"),
            (#"{"migrations_per_address":{"limit":-1,"window":60}}"#, "migrations_per_address.limit"),
            (#"{"step_ups":{"limit":1,"window":0}}"#, "step_ups.window"),
            (#"{"notices_per_day":-1}"#, "notices_per_day"),
            (#"{"delivery_tests":{"limit":-1,"window":60}}"#, "delivery_tests.limit"),
        ])
    func outOfRange(json: String, field: String) {
        #expect { try limits(json) } throws: { error in
            guard case Refusal.invalidField(field, _) = error else { return false }
            return true
        }
    }

    @Test("An operator reads and replaces the limits, and a number of another country is rejected")
    func routes() async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders()
        let path = "/v2/session/apps/testapp/config/limits"
        #expect(try await world.call(.get, path, headers).text.contains(#""app_sends_per_day":10000"#))
        let replaced = try await world.call(.put, path, headers, json: #"{"allowed_prefixes":["+33"]}"#)
        #expect(replaced.status == 200 && replaced.text.contains(#""allowed_prefixes":["+33"]"#))
        let invalid = try await world.call(.put, path, headers, json: #"{"resend_delay":-1}"#)
        #expect(invalid.status == 400 && invalid.message?.contains("resend_delay") == true)

        func start(_ number: String) async throws -> EdgeResponse {
            try await world.call(
                .post, "/v1/session/otp", json: #"{"identifier":{"type":"phone_number","value":"\#(number)"}}"#)
        }
        #expect(try await start("+33612345678").status == 204)
        let rejected = try await start("+34612345678")
        #expect(rejected.status == 400 && rejected.code == "invalid_identifier")
        #expect(rejected.message?.hasPrefix("identifier ") == true)
    }
}
