import Foundation
import PreludeSession
import PreludeSessionTesting
import Testing

@testable import PreludeSessionUI

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Calls to a backend whose step-ups are shown in a sheet.
@MainActor @Suite("The presenter of step-ups")
struct StepUpPresenterTests {
    private let email = "ada@example.com"
    private let service: TestService
    private let presenter: StepUpPresenter
    private let client: PreludeSessionClient

    init() async throws {
        service = try await TestService()
        try await service.allow(scope: "transfer:write", grantMode: .sessionBound)
        service.serveBackend { request in
            let payload = request.value(forHTTPHeaderField: "Authorization")?.split(separator: ".").dropFirst().first
            var text = String(payload ?? "").replacing("-", with: "+").replacing("_", with: "/")
            text += String(repeating: "=", count: (4 - text.count % 4) % 4)
            let claims = String(decoding: Data(base64Encoded: text) ?? Data(), as: UTF8.self)
            if claims.contains("transfer:write") { return TestService.BackendAnswer(status: 201) }
            let demand = #"Bearer error="insufficient_user_authentication", scope="transfer:write""#
            return TestService.BackendAnswer(status: 401, headers: ["WWW-Authenticate": demand])
        }
        client = try await service.signedIn(email)
        service.clock.advance(by: .seconds(31))
        presenter = StepUpPresenter(client: client)
    }

    private func status() async throws -> Int {
        try await presenter.data(for: URLRequest(url: #require(URL(string: "https://bank.example.com/")))).1.statusCode
    }

    /// The step-up of the sheet, when the presenter shows one.
    private func shown() async -> StepUpModel {
        while true {
            if let model = presenter.model { return model }
            await Task.yield()
        }
    }

    @Test("The sheet is shown, a typo stays in it, and the request is sent again after the right code")
    func completed() async throws {
        let call = Task { try await status() }
        let model = await shown()
        await model.start()
        guard case .code(let entry, _) = model.phase else { return #expect(Bool(false)) }
        await entry.enter("000000")?.value
        #expect(entry.isProblem && presenter.model === model)
        await entry.enter(try service.code(for: email))?.value
        #expect(try await call.value == 201)
        #expect(presenter.model == nil)
        #expect(try await status() == 201)
    }

    @Test("Two calls at once show one sheet")
    func together() async throws {
        let calls = (0..<2).map { _ in Task { try await status() } }
        let model = await shown()
        await model.start()
        guard case .code(let entry, _) = model.phase else { return #expect(Bool(false)) }
        await entry.enter(try service.code(for: email))?.value
        for call in calls { #expect(try await call.value == 201) }
        #expect(service.count(.requestStepUp) == 1 && presenter.model == nil)
    }

    @Test("Closing the sheet cancels the call, and the next call shows it again")
    func dismissed() async throws {
        let call = Task { try await status() }
        await (await shown()).start()
        presenter.dismiss()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(presenter.model == nil)
        let next = Task { try await status() }
        let model = await shown()
        await model.start()
        guard case .code(let entry, _) = model.phase else { return #expect(Bool(false)) }
        await entry.enter(try service.code(for: email))?.value
        #expect(try await next.value == 201)
    }

    @Test("A cancelled call closes the sheet")
    func cancelled() async throws {
        let call = Task { try await status() }
        _ = await shown()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(presenter.model == nil)
    }

    @Test("A denied scope is said in the sheet, and then thrown")
    func denied() async throws {
        try await service.deny(scope: "transfer:write")
        let call = Task { try await status() }
        let model = await shown()
        await model.start()
        guard case .denied = model.phase else { return #expect(Bool(false)) }
        #expect(presenter.model === model)
        presenter.dismiss()
        await #expect {
            try await call.value
        } throws: {
            if case PreludeSessionError.forbidden = $0 { true } else { false }
        }
    }
}
