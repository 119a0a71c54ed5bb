import Foundation
import PreludeSession
import Testing

@Suite("Names of the hosted SDK")
struct HostedNamesTests {
    /// What an app of the hosted SDK reads from an error, by the names of its cases.
    private func kind(of error: any Error) -> String {
        do {
            throw error
        } catch PreludeAuthError.cancelled {
            return "cancelled"
        } catch PreludeAuthError.noLoginConfig {
            return "noLoginConfig"
        } catch PreludeAuthError.passwordNotSet {
            return "passwordNotSet"
        } catch PreludeAuthError.passkeyNotConfigured {
            return "passkeyNotConfigured"
        } catch PreludeAuthError.passkeyRegistrationFailed {
            return "passkeyRegistrationFailed"
        } catch PreludeAuthError.passkeyStepUnavailable {
            return "passkeyStepUnavailable"
        } catch PreludeAuthError.passkeyNotSupported {
            return "passkeyNotSupported"
        } catch PreludeAuthError.invalidOTPCode {
            return "invalidOTPCode"
        } catch {
            return "other"
        }
    }

    /// The error that a call throws when the service responds with a code.
    private func error(_ status: Int, _ code: String) async throws -> PreludeSessionError {
        let transport = ScriptedTransport()
        await transport.answer("/login/email/password", .errorResponse(status, code))
        var configuration = PreludeAuth.Configuration()
        configuration.credentialStore = PreludeInMemoryCredentialStore()
        configuration.transport = transport
        let client = try PreludeAuth(configuration: configuration)
        return try #require(
            await #expect(throws: PreludeAuthError.self) {
                try await client.loginWithPassword(
                    LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "correct horse battery"))
            })
    }

    @Test(
        "An error has the names of the hosted SDK's cases in `catch` and in `switch`",
        arguments: [
            ("no_login_config", "noLoginConfig"), ("password_not_set", "passwordNotSet"), ("bad_request", "other"),
            ("passkey_not_configured", "passkeyNotConfigured"),
            ("passkey_registration_failed", "passkeyRegistrationFailed"),
            ("passkey_step_unavailable", "passkeyStepUnavailable"),
            ("passkey_not_supported", "passkeyNotSupported"),
        ])
    func questions(code: String, expected: String) async throws {
        let error = try await error(400, code)
        #expect(kind(of: error) == expected)
        let named =
            switch error {
            case .noLoginConfig: "noLoginConfig"
            case .passwordNotSet: "passwordNotSet"
            case .passkeyNotConfigured: "passkeyNotConfigured"
            case .passkeyRegistrationFailed: "passkeyRegistrationFailed"
            case .passkeyStepUnavailable: "passkeyStepUnavailable"
            case .passkeyNotSupported: "passkeyNotSupported"
            default: "other"
            }
        #expect(named == expected)
    }

    @Test("A cancelled call is a question, and no code of the service")
    func cancelled() {
        #expect(kind(of: CancellationError()) == "cancelled")
        #expect(kind(of: PreludeSessionError.generic(code: "cancelled", message: "")) == "other")
        #expect(kind(of: PreludeSessionError.invalidOTPCode("")) == "invalidOTPCode")
    }

    // Proves: R23
    @Test("Each certificate is checked except those of this device, also when the app asks for less")
    func insecureTLS() throws {
        let other = #expect(throws: PreludeAuthError.self) {
            _ = try PreludeAuthClient(endpoint: .custom("https://session.example.com"), allowInsecureTLS: true)
        }
        #expect(other?.localizedDescription.contains("allowInsecureTLS is for a service on this device") == true)
        _ = try PreludeAuthClient(endpoint: .custom("https://session.example.com"), allowInsecureTLS: false)
        _ = try PreludeAuthClient(allowInsecureTLS: true)
        #if !canImport(Security)
            let own = #expect(throws: PreludeAuthError.self) {
                _ = try PreludeAuthClient(endpoint: .custom("https://localhost:8443"), allowInsecureTLS: true)
            }
            #expect(own?.localizedDescription.contains("pass an AsyncHTTPClientTransport") == true)
        #endif
    }
}
