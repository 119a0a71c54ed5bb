import Foundation
import PreludeSession
import PreludeSessionTesting
import Testing

@testable import PreludeSessionUI

/// A login with a code, through the real SDK and the real service.
@MainActor @Suite("The model of a code entry")
struct CodeEntryModelTests {
    private let email = "ada@example.com"

    private func login() async throws -> (TestService, PreludeSessionClient, CodeEntryModel) {
        let service = try await TestService()
        let client = try service.client()
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: email)))
        return (service, client, CodeEntryModel(client: client))
    }

    private func wrong(_ code: String) -> String {
        String(code.reversed()) == code ? "000000" : String(code.reversed())
    }

    @Test("The last digit signs in, also when the code is typed with spaces in another script")
    func signIn() async throws {
        let (service, client, model) = try await login()
        let code = try service.code(for: email)
        #expect(model.enter(String(code.dropLast())) == nil)
        #expect(!model.canSubmit && service.count(.checkOTP) == 0)
        let fullWidth = code.unicodeScalars.compactMap { Unicode.Scalar($0.value - 0x30 + 0xFF10) }
        await model.enter(fullWidth.map(String.init).joined(separator: " "))?.value
        #expect(model.phase == .accepted)
        #expect(model.message == nil)
        #expect(await client.profile != nil)
    }

    @Test("The signed-in user is passed on")
    func callback() async throws {
        let (service, client, _) = try await login()
        var user: PreludeUser?
        let model = CodeEntryModel(client: client) { user = $0 }
        await model.enter(try service.code(for: email))?.value
        #expect(try user?.profile.userID == #require(await client.profile?.userID))
    }

    @Test("A pasted message submits the code in it, and one without a clear code submits nothing")
    func message() async throws {
        let (service, _, model) = try await login()
        #expect(model.enter("Acme24: 1234567") == nil)
        #expect(model.code == "" && service.count(.checkOTP) == 0)
        await model.enter("Acme24: \(try service.code(for: email))")?.value
        #expect(model.phase == .accepted && service.count(.checkOTP) == 1)
    }

    @Test("A wrong code is reported, removed and not sent again")
    func wrongCode() async throws {
        let (service, _, model) = try await login()
        let wrong = wrong(try service.code(for: email))
        await model.enter(wrong)?.value
        #expect(model.phase == .entering && model.code == "")
        #expect(model.message == SessionUIText(PreludeSessionMessage(.wrongCode)) && model.isProblem)
        #expect(model.enter(wrong) == nil)
        await model.submit()
        #expect(service.count(.checkOTP) == 1)
        #expect(model.code == "" && model.message == SessionUIText(PreludeSessionMessage(.wrongCode)))
        await model.enter(try service.code(for: email))?.value
        #expect(model.phase == .accepted)
    }

    @Test("After too many wrong codes the field is closed until another code was sent")
    func usedUp() async throws {
        let (service, _, model) = try await login()
        var tries = 0
        while !model.needsNewCode && tries < 20 {
            tries += 1
            let wrong = (Int(try service.code(for: email)) ?? 0) + tries
            await model.enter(String(String(wrong + 1_000_000).suffix(6)))?.value
        }
        #expect(model.needsNewCode && !model.isEditable && model.canResend)
        #expect(model.message == SessionUIText(PreludeSessionMessage(.newCode)))
        #expect(model.enter(try service.code(for: email)) == nil)
        service.clock.advance(by: .seconds(31))
        await model.resend()
        #expect(!model.needsNewCode && model.isEditable)
        await model.enter(try service.code(for: email))?.value
        #expect(model.phase == .accepted)
    }

    @Test("Without a connection the code stays and can be submitted again")
    func offline() async throws {
        let (service, _, model) = try await login()
        service.faults.isOffline = true
        let code = try service.code(for: email)
        await model.enter(code)?.value
        #expect(model.code == code && model.canSubmit)
        #expect(model.message == SessionUIText(PreludeSessionMessage(.noConnection)))
        service.faults.isOffline = false
        await model.submit()
        #expect(model.phase == .accepted)
    }

    @Test("Another code can be requested when the countdown has ended")
    func resend() async throws {
        let (service, _, model) = try await login()
        #expect(model.secondsUntilResend == 30)
        await model.resend()
        #expect(service.count(.resendOTP) == 0)
        service.clock.advance(by: .milliseconds(29_001))
        #expect(model.secondsUntilResend == 1)
        service.clock.advance(by: .seconds(1))
        #expect(model.secondsUntilResend == 0)
        model.enter("12")
        await model.resend()
        #expect(service.mailbox.count == 2)
        #expect(model.code == "" && model.message == SessionUIText(.newCodeSent) && !model.isProblem)
        #expect(model.secondsUntilResend == 30)
        await model.enter(try service.code(for: email))?.value
        #expect(model.phase == .accepted)
    }

    @Test("The countdown follows the service when it asks for more time")
    func tooSoon() async throws {
        let (service, client, _) = try await login()
        let model = CodeEntryModel(client: client, resendDelay: 0)
        #expect(model.secondsUntilResend == 0)
        await model.resend()
        #expect(model.message?.string() == "Too many attempts. Try again in 30 seconds." && model.isProblem)
        #expect(model.secondsUntilResend == 30)
        service.clock.advance(by: .seconds(30))
        await model.resend()
        #expect(service.mailbox.count == 2)
    }

    @Test("A login that no longer exists ends the entry")
    func ended() async throws {
        let service = try await TestService()
        let model = CodeEntryModel(client: try service.client())
        await model.enter("123456")?.value
        #expect(model.phase == .ended && model.code == "")
        #expect(model.message == SessionUIText(.signInExpired))
        #expect(model.enter("1") == nil)
        #expect(model.code == "")
    }

    @Test("While a code is checked, digits do not change and nothing else is sent")
    func checking() async throws {
        let (service, _, model) = try await login()
        let held = service.faults.hold(.checkOTP)
        let check = model.enter(try service.code(for: email))
        await held.arrived()
        #expect(model.phase == .checking && !model.isEditable)
        #expect(model.enter("1") == nil)
        service.clock.advance(by: .seconds(31))
        await model.submit()
        await model.resend()
        held.release()
        await check?.value
        #expect(model.phase == .accepted)
        #expect(service.count(.checkOTP) == 1 && service.count(.resendOTP) == 0)
    }

    @Test("A cancelled check shows no error")
    func cancelled() async throws {
        let model = CodeEntryModel(check: { _ in throw CancellationError() }, resend: {})
        await model.enter("123456")?.value
        #expect(model.phase == .entering && model.message == nil && model.canSubmit)
    }
}
