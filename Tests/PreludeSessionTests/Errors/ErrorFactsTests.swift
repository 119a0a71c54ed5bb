import Foundation
import HTTPTypes
import SessionWire
import Testing

@testable import PreludeSession

@Suite("What a screen asks about an error")
struct ErrorFactsTests {
    private func error(
        _ body: String, status: Int = 400, to path: FrontendPath = .otp
    ) -> PreludeSessionError {
        ErrorResponse(
            APIResponse(status: status, fields: [:], body: Data(body.utf8)), to: path, at: "a.example",
            now: Date(timeIntervalSince1970: 0)
        ).error
    }

    @Test("Every error of the server has its code, also an unknown one and one that is not the service's")
    func codes() {
        #expect(error(#"{"code":"something_of_tomorrow"}"#).code == "something_of_tomorrow")
        #expect(error(#"{"code":"odd code]"}"#).code == "odd code]")
        #expect(error("<html>", status: 500).code == "http_500")
        #expect(error("<html>", status: 429).code == "http_429")
        #expect(error("<html>", status: 503).code == "http_503")
        #expect(error(#"{"code":"suspended_account"}"#, status: 403).code == .suspendedAccount)
        #expect(PreludeSessionError.timeout.code == nil)
        #expect(PreludeSessionError.storageUnavailable("x").code == nil)
        #expect(PreludeSessionError.unauthorized("no user is signed in").code == nil)
    }

    @Test("The public codes are those of the wire")
    func samePublicCodes() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        func codes(_ file: String, _ type: String) throws -> Set<String> {
            let source = try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
            let pattern = try Regex(#"static let [a-zA-Z`]+: \#(type) = "([a-z_]+)""#, as: (Substring, Substring).self)
            return Set(source.matches(of: pattern).map { String($0.output.1) })
        }
        let shown = try codes("Sources/PreludeSession/Errors/PreludeSessionErrorCode.swift", "Self")
        let sent = try codes("Sources/SessionWire/ErrorCode.swift", "ErrorCode")
        // Codes of the management API, which the SDK does not call.
        #expect(sent.subtracting(shown) == ["invalid_api_key", "step_up_config_already_exists"])
        #expect(shown.isSubset(of: sent))
    }

    @Test(
        "An invalid identifier is found by its code or its field, and nothing else is",
        arguments: [
            (#"{"code":"invalid_identifier"}"#, 400, true),
            (#"{"code":"bad_request","field":"identifier"}"#, 400, true),
            (#"{"code":"bad_request","field":"identifier.value"}"#, 400, true),
            (#"{"code":"invalid_metadata","field":"metadata.identifier"}"#, 400, true),
            (#"{"code":"bad_request","field":"identifiers"}"#, 400, false),
            (#"{"code":"bad_request","field":"code_challenge"}"#, 400, false),
            (#"{"code":"bad_request"}"#, 400, false),
            (#"{"code":"identifier_already_exists","field":"identifier"}"#, 409, false),
        ])
    func invalidIdentifier(body: String, status: Int, expected: Bool) {
        #expect(error(body, status: status).isInvalidIdentifier == expected)
    }

    @Test(
        "A suspended and a closed account are found by their codes",
        arguments: [
            ("suspended_account", true), ("inactive_user", true), ("forbidden", false), ("auth_blocked", false),
        ])
    func suspended(code: String, expected: Bool) {
        #expect(error(#"{"code":"\#(code)"}"#, status: 403).isAccountSuspended == expected)
    }

    @Test("The server says when a new code is needed; so does the end of the login, and of no other call")
    func newCode() {
        let wrong = #"{"code":"bad_check_code","message":"m"}"#
        #expect(!error(wrong, status: 401, to: .otpCheck).needsNewCode)
        #expect(!error(#"{"code":"bad_check_code","needs_new_code":false}"#, status: 401).needsNewCode)
        let spent = error(#"{"code":"bad_check_code","needs_new_code":true}"#, status: 401, to: .otpCheck)
        #expect(spent.needsNewCode)
        guard case .invalidOTPCode = spent else { return #expect(Bool(false), "\(spent)") }
        let ended = #"{"code":"invalid_verification_token","message":"m"}"#
        for path in FrontendPath.allCases {
            #expect(error(ended, to: path).needsNewCode == (path == .otpCheck || path == .otpRetry), "\(path)")
        }
    }

    @Test("Without a started login, a code needs a new one")
    func noLogin() async throws {
        let client = try await ClientFixture(signedIn: false).client()
        for call in [{ _ = try await client.checkOTP("1") }, { try await client.resendOTP() }] {
            let error = await #expect(throws: PreludeSessionError.self) { try await call() }
            #expect(error?.needsNewCode == true)
        }
    }

    @Test("A field is the member that the server names, if its name is plain", arguments: ["a b", "[?]", "", "ü"])
    func field(_ odd: String) {
        #expect(error(#"{"code":"bad_request","field":"metadata.note"}"#).field == "metadata.note")
        #expect(error(#"{"code":"bad_request","field":"\#(odd)"}"#).field == nil)
        #expect(error(#"{"code":"bad_request"}"#).field == nil)
    }
}
