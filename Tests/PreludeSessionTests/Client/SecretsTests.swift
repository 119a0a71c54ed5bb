import Foundation
import Testing

@testable import PreludeSession

@Suite("Secrets are not printed")
struct SecretsTests {
    // Proves: E13
    @Test("A password is visible neither printed nor dumped")
    func password() {
        let options = LoginWithPasswordOptions(emailAddress: "a@example.com", password: "hunter2")
        var dumped = ""
        dump(options, to: &dumped)
        for text in [dumped, "\(options)", String(reflecting: options), "\(options.password)"] {
            #expect(!text.contains("hunter2"))
        }
    }

    @Test("A credential to migrate is visible neither printed nor dumped")
    func migration() {
        let options = MigrateOptions(token: "old-credential")
        var dumped = ""
        dump(options, to: &dumped)
        for text in [dumped, "\(options)", String(reflecting: options)] { #expect(!text.contains("old-credential")) }
    }

    // Proves: E13
    @Test("A printed challenge contains neither its token nor the token's id")
    func challenge() throws {
        let token = TestToken.challenge("secret-jti")
        let challenge = try #require(
            StepUpChallenge(token: token, status: .underReview, scope: "a", sessionID: nil, endpoint: "e"))
        var dumped = ""
        dump(challenge, to: &dumped)
        dump([challenge], to: &dumped)
        for text in [dumped, "\(challenge)", String(reflecting: challenge), "\([challenge])"] {
            #expect(!text.contains(token))
            #expect(!text.contains("secret-jti"))
            #expect(text.contains("chl_1"))
        }
    }

    @Test("A printed user does not contain the token")
    func token() throws {
        let payload = Data(#"{"sub":"usr_1","sid":"ses_1","plan":"pro"}"#.utf8).base64EncodedString()
            .replacing("=", with: "")
        let user = PreludeUser(
            accessToken: "h.\(payload).s", profile: try PreludeProfile(accessToken: "h.\(payload).s"))
        var dumped = ""
        dump(user, to: &dumped)
        for text in [dumped, "\(user)", String(reflecting: user)] { #expect(!text.contains(payload)) }
        #expect(user.profile.userID == "usr_1")
        #expect(user.profile.extras == ["plan": .string("pro")])
    }

    @Test(
        "Endpoints that would expose secrets are rejected",
        arguments: ["http://example.com", "ftp://example.com", "example.com", "https://a/b", "https://u:p@example.com"])
    func endpoints(text: String) {
        #expect(throws: PreludeSessionError.self) { try PreludeSessionClient(endpoint: .custom(text)) }
    }

    @Test(
        "Endpoints in other valid spellings are accepted",
        arguments: ["https://example.com/", "http://127.0.0.1:1", "http://[::1]:8080"])
    func goodEndpoints(text: String) throws {
        var configuration = PreludeSessionClient.Configuration(endpoint: .custom(text))
        configuration.credentialStore = PreludeInMemoryCredentialStore()
        _ = try PreludeSessionClient(configuration: configuration)
    }
}
