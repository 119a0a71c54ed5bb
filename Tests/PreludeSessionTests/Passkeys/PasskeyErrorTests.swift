import Foundation
import Testing

@testable import PreludeSession

@Suite("Errors of passkeys")
struct PasskeyErrorTests {
    /// An error of an authenticator with a secret text.
    private struct Broken: Error, CustomStringConvertible {
        let description = "a secret"
    }

    private func error(of failure: any Error, isCreation: Bool = false) async throws -> PreludeSessionError {
        let fixture = try await ClientFixture()
        let client = try fixture.client(authenticator: PlayedAuthenticator { throw failure })
        await fixture.answerRegistration()
        await fixture.answerPasskeyLogin()
        return try #require(
            await #expect(throws: PreludeSessionError.self) {
                if isCreation {
                    try await client.registerPasskey(RegisterPasskeyOptions(username: "ada@example.com"))
                } else {
                    try await client.loginWithPasskey()
                }
            })
    }

    @Test(
        "An error of the authenticator has a code, and a message for the user",
        arguments: [
            (
                PreludePasskeyError.notSupported, PreludeSessionErrorCode.passkeyNotSupported,
                PreludeSessionMessage.Key.passkeyUnavailable
            ),
            (.notAssociated, .passkeyNotAssociated, .passkeyNotReady),
            (.alreadyRegistered, .passkeyAlreadyRegistered, .passkeyExists),
            (.failed, .passkeyFailed, .passkeyFailed),
        ])
    func authenticator(
        failure: PreludePasskeyError, code: PreludeSessionErrorCode, key: PreludeSessionMessage.Key
    ) async throws {
        let error = try await error(of: failure)
        #expect(error.code == code)
        #expect(error.message.key == key)
    }

    @Test("The error of a missing association says what to do")
    func association() async throws {
        let error = try await error(of: PreludePasskeyError.notAssociated, isCreation: true)
        #expect("\(error)".hasPrefix("invalidConfiguration("))
        for part in [
            "webcredentials:example.com", "https://example.com/.well-known/apple-app-site-association", "try again",
        ] {
            #expect(error.localizedDescription.contains(part))
        }
    }

    @Test("Any other error of the authenticator shows only its type", arguments: [false, true])
    func foreign(isCreation: Bool) async throws {
        let error = try await error(of: Broken(), isCreation: isCreation)
        #expect(error.code == (isCreation ? .passkeyRegistrationFailed : .passkeyFailed))
        #expect(error.localizedDescription.contains("Broken") && !"\(error)".contains("secret"))
        #expect(error.message.key == .passkeyFailed)
    }

    @Test("An error of the SDK in an authenticator stays as it is")
    func own() async throws {
        #expect("\(try await error(of: PreludeSessionError.timeout))" == "timeout")
    }

    #if !canImport(AuthenticationServices)
        @Test("A system without an authenticator sends no request, and still lists passkeys")
        func noAuthenticator() async throws {
            let fixture = try await ClientFixture()
            let client = try fixture.client()
            let challenge = try await fixture.passkeyChallenge(of: client)
            let calls: [@Sendable () async throws -> Void] = [
                { try await client.registerPasskey(RegisterPasskeyOptions(username: "ada@example.com")) },
                { try await client.loginWithPasskey() }, { try await client.continueStepUpWithPasskey(challenge) },
            ]
            for call in calls {
                let error = await #expect(throws: PreludeSessionError.self) { try await call() }
                #expect(error?.code == .passkeyNotSupported)
            }
            #expect(await fixture.transport.sent.count == 1)
            await fixture.transport.answer("/me/passkeys", .success("{}"))
            _ = try await client.listPasskeys()
        }
    #endif

    private func systemError(
        _ code: Int, domain: String = PreludePasskeyError.systemDomain, _ info: [String: Any] = [:]
    ) -> any Error {
        PreludePasskeyError.ofSystem(NSError(domain: domain, code: code, userInfo: info))
    }

    @Test("The codes of Apple's systems that an app can react to become errors of authenticators")
    func systemCodes() {
        #expect(systemError(1001) is CancellationError)
        #expect(systemError(1006) as? PreludePasskeyError == .alreadyRegistered)
        #expect(systemError(1010) as? PreludePasskeyError == .notSupported)
    }

    @Test("Any other error of Apple's systems keeps its code", arguments: [1000, 1002, 1003, 1004, 1005])
    func otherSystemCodes(code: Int) async throws {
        let error = systemError(code)
        #expect((error as NSError).code == code)
        #expect(try await self.error(of: error).localizedDescription.contains("\(code)"))
        #expect((systemError(1001, domain: NSPOSIXErrorDomain) as NSError).code == 1001)
    }

    @Test(
        "Apple's systems report a missing association in a text only",
        arguments: [NSLocalizedDescriptionKey, NSLocalizedFailureReasonErrorKey])
    func systemAssociation(key: String) {
        let text = "Application with identifier TEAM123456.com.example.app is not associated with domain example.com"
        #expect(systemError(1004, [key: text]) as? PreludePasskeyError == .notAssociated)
    }
}
