import PreludeSession
import PreludeSessionTesting
import Testing

@testable import PreludeSessionUI

/// A step-up, through the real SDK and the real service.
@MainActor @Suite("The model of a step-up")
struct StepUpModelTests {
    private let email = "ada@example.com"
    private let phone = "+14155551234"
    private let scope = "transfer:write"

    private func signedIn(_ steps: [TestService.Step] = [.verifyEmail]) async throws -> (
        TestService, PreludeSessionClient
    ) {
        let service = try await TestService()
        try await service.createUser(email: email, phone: phone)
        try await service.allow(scope: scope, steps: steps, grantMode: .sessionBound)
        return (service, try await service.signedIn(email))
    }

    private func entry(of model: StepUpModel) throws -> (CodeEntryModel, StepUpModel.Channel) {
        guard case .code(let entry, let channel) = model.phase else {
            throw StringError(description: "no code is expected in \(model.phase)")
        }
        return (entry, channel)
    }

    private struct StringError: Error, CustomStringConvertible { let description: String }

    private func isCompleted(_ model: StepUpModel) -> Bool { if case .completed = model.phase { true } else { false } }

    private func isDenied(_ model: StepUpModel) -> Bool { if case .denied = model.phase { true } else { false } }

    private func failure(of model: StepUpModel) -> SessionUIText? {
        if case .failed(let text) = model.phase { text } else { nil }
    }

    @Test("Two codes give the scope, and each says where it was sent")
    func codes() async throws {
        let (service, client) = try await signedIn([.verifySMS, .verifyEmail])
        var completions = 0
        let model = StepUpModel(client: client, scope: scope) { completions += 1 }
        await model.start()
        let (first, sms) = try entry(of: model)
        #expect(sms == .sms)
        await first.enter(try service.code(for: phone))?.value
        let (second, mail) = try entry(of: model)
        #expect(mail == .email && second !== first && completions == 0)
        await second.enter(try service.code(for: email))?.value
        #expect(isCompleted(model) && completions == 1)
        await model.start()
        #expect(isCompleted(model) && completions == 1)
    }

    @Test("A scope that needs no step is granted at once")
    func noStep() async throws {
        let (_, client) = try await signedIn([])
        let model = StepUpModel(client: client, scope: scope)
        await model.start()
        #expect(isCompleted(model))
    }

    @Test("A denied scope and a scope that the app does not offer are denied")
    func denied() async throws {
        let (service, client) = try await signedIn()
        try await service.deny(scope: scope)
        for scope in [scope, "unknown:write"] {
            let model = StepUpModel(client: client, scope: scope)
            await model.start()
            #expect(isDenied(model))
        }
    }

    @Test("A step of the app's own is confirmed by the app")
    func ownStep() async throws {
        let (service, client) = try await signedIn([.own("check_id"), .verifyEmail])
        let model = StepUpModel(
            client: client, scope: scope, ownStep: { try await service.verificationToken(for: $0, as: client) })
        await model.start()
        await (try entry(of: model).0).enter(try service.code(for: email))?.value
        #expect(isCompleted(model))
    }

    @Test("A step of the app's own fails without the app's proof")
    func noOwnStep() async throws {
        let (_, client) = try await signedIn([.own("check_id")])
        let model = StepUpModel(client: client, scope: scope)
        await model.start()
        #expect(failure(of: model) == SessionUIText(PreludeSessionMessage(.failed)))
    }

    @Test("After a relaunch the open challenge continues with the code that was sent")
    func relaunch() async throws {
        let (service, client) = try await signedIn()
        let first = StepUpModel(client: client, scope: scope)
        await first.start()
        let sent = service.mailbox.count
        service.clock.advance(by: .seconds(10))
        let second = StepUpModel(client: client, scope: scope)
        await second.start()
        let (entry, _) = try entry(of: second)
        #expect(service.mailbox.count == sent && service.count(.requestStepUp) == 1)
        #expect(entry.secondsUntilResend == 20 && entry.message == nil)
        await entry.enter(try service.code(for: email))?.value
        #expect(isCompleted(second))
    }

    @Test("With metadata a new challenge is requested, because the open one may be about another value")
    func metadata() async throws {
        let (service, client) = try await signedIn()
        await StepUpModel(client: client, scope: scope).start()
        service.clock.advance(by: .seconds(31))
        await StepUpModel(client: client, scope: scope, metadata: ["amount": "12"]).start()
        #expect(service.count(.requestStepUp) == 2)
    }

    @Test("An expired challenge ends its code, and starting again gets a new one")
    func expired() async throws {
        let (service, client) = try await signedIn()
        let model = StepUpModel(client: client, scope: scope)
        await model.start()
        let (entry, _) = try entry(of: model)
        await model.start()
        #expect(try self.entry(of: model).0 === entry)
        service.clock.advance(by: .seconds(86_400))
        await entry.enter("123456")?.value
        #expect(entry.phase == .ended && entry.message == SessionUIText(PreludeSessionMessage(.startAgain)))
        await model.start()
        let (next, _) = try self.entry(of: model)
        await next.enter(try service.code(for: email))?.value
        #expect(isCompleted(model))
    }

    @Test("Without a connection it fails with a text, and starts again")
    func offline() async throws {
        let (service, client) = try await signedIn()
        let model = StepUpModel(client: client, scope: scope)
        service.faults.isOffline = true
        await model.start()
        #expect(failure(of: model) == SessionUIText(PreludeSessionMessage(.noConnection)))
        service.faults.isOffline = false
        await model.start()
        await (try entry(of: model).0).enter(try service.code(for: email))?.value
        #expect(isCompleted(model))
    }

    @Test("A view that disappears during a refresh and appears again shows the code")
    func reappears() async throws {
        let (service, client) = try await signedIn()
        let model = StepUpModel(client: client, scope: scope)
        service.clock.advance(by: .seconds(301))
        let held = service.faults.hold(.refresh)
        let first = await appear { await model.start() }
        await held.arrived()
        first.cancel()
        let second = await appear { await model.start() }
        held.release()
        await first.value
        await second.value
        await (try entry(of: model).0).enter(try service.code(for: email))?.value
        #expect(isCompleted(model))
    }

    @Test("An accepted code whose step-up was cancelled does not stop the next start")
    func cancelledAfterCode() async throws {
        let (service, client) = try await signedIn([.verifyEmail, .own("check_id")])
        var asked = 0
        let model = StepUpModel(
            client: client, scope: scope,
            ownStep: { challenge in
                asked += 1
                if asked == 1 { throw CancellationError() }
                return try await service.verificationToken(for: challenge, as: client)
            })
        await model.start()
        let (entry, _) = try entry(of: model)
        await entry.enter(try service.code(for: email))?.value
        #expect(entry.phase == .accepted && !isCompleted(model))
        await model.start()
        #expect(isCompleted(model))
    }

    @Test("A grant whose refresh was lost is fetched by the next start")
    func lostRefresh() async throws {
        let (service, client) = try await signedIn()
        let model = StepUpModel(client: client, scope: scope)
        await model.start()
        let (entry, _) = try entry(of: model)
        let faults = service.faults
        faults.interrupt(.checkOTP) { faults.isOffline = true }
        await entry.enter(try service.code(for: email))?.value
        #expect(entry.message == SessionUIText(PreludeSessionMessage(.noConnection)) && entry.canSubmit)
        faults.isOffline = false
        let relaunched = StepUpModel(client: client, scope: scope)
        await relaunched.start()
        #expect(isCompleted(relaunched))
        await entry.submit()
        #expect(isCompleted(model))
    }
}
