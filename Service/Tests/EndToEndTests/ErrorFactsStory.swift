import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import Testing

/// What an app reads from the errors of the real service.
@Suite("Errors that an app can show", .eachStore)
struct ErrorFactsStory {
    private func error(_ work: () async throws -> Void) async throws -> PreludeSessionError {
        try #require(await #expect(throws: PreludeSessionError.self) { try await work() })
    }

    @Test("A mistyped address is an invalid identifier, at a login with a code and with a password")
    func identifier() async throws {
        let world = try await ServiceWorld()
        let client = try world.client()
        let code = try await error {
            try await client.startOTPLogin(
                StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "ada@")))
        }
        let password = try await error {
            try await client.loginWithPassword(LoginWithPasswordOptions(emailAddress: "ada@", password: "p"))
        }
        for error in [code, password] {
            #expect(error.isInvalidIdentifier)
            #expect(error.code == .invalidIdentifier)
            #expect(error.field == "identifier")
            #expect(error.requestID?.hasPrefix("req_") == true)
            #expect(error.message.key == .invalidIdentifier)
        }
    }

    @Test("A suspended and a closed account are found after the right password, and not after a wrong one")
    func suspended() async throws {
        for (status, code) in [("suspended", PreludeSessionErrorCode.suspendedAccount), ("inactive", .inactiveUser)] {
            let world = try await ServiceWorld()
            let created = try await world.manage(
                "/users",
                json:
                    #"{"identifiers":[{"type":"email_address","value":"ada@example.com"}],"password":"violet anchor 7"}"#
            )
            let id = try #require(created.body["id"]?.stringValue)
            try await world.manage("/users/\(id)/status", json: #"{"status":"\#(status)"}"#, method: .put)
            let client = try world.client()
            func login(_ password: String) async throws -> PreludeSessionError {
                try await error {
                    try await client.loginWithPassword(
                        LoginWithPasswordOptions(emailAddress: "ada@example.com", password: password))
                }
            }
            let wrong = try await login("violet anchor 8")
            #expect(!wrong.isAccountSuspended)
            #expect(wrong.code == .unauthorized)
            let right = try await login("violet anchor 7")
            #expect(right.isAccountSuspended)
            #expect(right.code == code)
            #expect(right.message.key == .accountBlocked)
        }
    }

    @Test("An invalid page and invalid metadata name their fields")
    func fields() async throws {
        let world = try await ServiceWorld()
        try await world.allow("transfer:write")
        let client = try await world.signedIn()
        let limit = try await error { _ = try await client.listSessions(ListSessionsOptions(limit: 0)) }
        #expect(limit.field == "limit")
        let offset = try await error { _ = try await client.listSessions(ListSessionsOptions(offset: -1)) }
        #expect(offset.field == "offset")
        let metadata = try await error {
            try await client.requestStepUp(
                scope: "transfer:write", metadata: ["note": String(repeating: "n", count: 33)])
        }
        #expect(metadata.field == "metadata.note")
        #expect(try await client.listSessions().limit == 10)
    }
}
