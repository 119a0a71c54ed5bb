import Foundation
import HTTPTypes
@_spi(Service) import PreludeSession
import PreludeSessionTesting
import PreludeSessionVerifier
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The real verifier asks, the real service decides, and a user answers.
@Suite("A call that steps up and is sent again")
struct StepUpCallTests {
    private static let scope = "transfer:write"
    private static let email = "ada@example.com"

    private let service: TestService

    init() async throws {
        service = try await TestService()
        try await service.allow(scope: Self.scope, grantMode: .sessionBound)
        try serve { try $0.require(stepUp: Self.scope) }
    }

    /// The app's backend, which rejects requests with the responses of the verifier.
    private func serve(_ check: @escaping @Sendable (VerifiedUser) throws -> Void) throws {
        let service = service
        var options = VerifierOptions()
        options.environment = VerifierEnvironment { service.clock.now }
        let verifier = try SessionVerifier(
            service: service.origin, audience: service.appID, options: options,
            keySource: KeySetLoader { try await service.keySet() })
        service.serveBackend { request in
            let token = request.value(forHTTPHeaderField: "Authorization")?.split(separator: " ").last ?? ""
            do {
                try check(try await verifier.verify(String(token)))
                return TestService.BackendAnswer(status: 201)
            } catch let error as VerificationError {
                let fields = error.headerFields.map { ($0.name.rawName, $0.value) }
                return TestService.BackendAnswer(
                    status: error.status.code, headers: Dictionary(fields) { $0 + ", " + $1 })
            }
        }
    }

    private func transfer() throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "https://bank.example.com/transfers")))
        request.httpMethod = "POST"
        return request
    }

    /// What the closure was asked: the case of each problem.
    private static func name(_ problem: PreludeSessionError?) -> String {
        problem.map { String(String(describing: $0).prefix { $0 != "(" }) } ?? "none"
    }

    /// Calls the backend while a user gives these answers, and then the code that was sent.
    private func call(
        _ client: PreludeSessionClient, _ answers: [StepUpAnswer] = []
    ) async throws -> (status: Int, problems: [String]) {
        var rest = answers
        var problems: [String] = []
        let (_, response) = try await client.data(for: try transfer()) { _, problem in
            problems.append(Self.name(problem))
            return rest.isEmpty ? .code(try service.code(for: Self.email)) : rest.removeFirst()
        }
        return (response.statusCode, problems)
    }

    @Test("A typo and a text without digits are asked again, and the request succeeds with the right code")
    func typos() async throws {
        let client = try await service.signedIn(Self.email)
        let (status, problems) = try await call(client, [.code("000000"), .code("no code"), .code(" ")])
        #expect(status == 201)
        #expect(problems == ["none", "invalidOTPCode", "invalidOTPCode", "invalidOTPCode"])
        // The token has the scope now, so the client asks no more.
        #expect(try await call(client).problems.isEmpty)
    }

    @Test("The demand of RFC 6750 with 403 is read as well")
    func insufficientScope() async throws {
        try serve { try $0.require(scope: Self.scope) }
        let client = try await service.signedIn(Self.email)
        #expect(try await client.data(for: try transfer()).1.statusCode == 403)
        #expect(try await call(client).status == 201)
    }

    @Test("Each missing scope has its own step-up")
    func twoScopes() async throws {
        try await service.allow(scope: "audit:read", grantMode: .sessionBound)
        try serve {
            try $0.require(stepUp: Self.scope)
            try $0.require(scope: "audit:read")
        }
        let client = try await service.signedIn(Self.email)
        service.clock.advance(by: .seconds(31))
        #expect(try await call(client).status == 201)
        #expect(service.count(.requestStepUp) == 2)
    }

    @Test("The user can ask for another code, and learns how long to wait for it")
    func resend() async throws {
        let client = try await service.signedIn(Self.email)
        let service = service
        var problems: [TimeInterval?] = []
        let before = service.mailbox.count
        let (_, response) = try await client.data(for: try transfer()) { _, problem in
            problems.append(problem?.retryAfter)
            switch problems.count {
            case 1: return .resend
            case 2:
                service.clock.advance(by: .seconds(31))
                return .resend
            default: return .code(try service.code(for: Self.email))
            }
        }
        #expect(response.statusCode == 201)
        #expect(problems == [nil, 30, nil])
        #expect(service.mailbox.count == before + 2)
    }

    @Test("After five wrong codes the scope is requested again, and the next code works")
    func usedUp() async throws {
        let client = try await service.signedIn(Self.email)
        let wrong = Array(repeating: StepUpAnswer.code("000000"), count: 5)
        let service = service
        var rest = wrong
        var problems: [String] = []
        let (_, response) = try await client.data(for: try transfer()) { _, problem in
            problems.append(Self.name(problem))
            if !rest.isEmpty { return rest.removeFirst() }
            if problem?.needsNewCode == true {
                service.clock.advance(by: .seconds(31))
                return .resend
            }
            return .code(try service.code(for: Self.email))
        }
        #expect(response.statusCode == 201)
        #expect(problems.last == "invalidChallengeToken" && problems.filter { $0 == "invalidOTPCode" }.count == 5)
        #expect(service.count(.requestStepUp) == 2)
    }

    @Test("A code that expired while the user was away starts again")
    func expired() async throws {
        let client = try await service.signedIn(Self.email)
        let service = service
        var asked = 0
        let (_, response) = try await client.data(for: try transfer()) { _, _ in
            asked += 1
            if asked == 1 { service.clock.advance(by: .seconds(86_400)) }
            return .code(try service.code(for: Self.email))
        }
        #expect(response.statusCode == 201 && asked == 2)
    }

    @Test("Without a network the user is asked again, and the same code continues")
    func offline() async throws {
        let client = try await service.signedIn(Self.email)
        service.faults.inject(.dropAnswer, on: .checkOTP)
        let problems = try await call(client).problems
        #expect(problems.first == "none" && problems.count <= 3)
    }

    @Test("Cancelling is a CancellationError, and the next call continues with the code that was sent")
    func cancelled() async throws {
        let client = try await service.signedIn(Self.email)
        service.clock.advance(by: .seconds(31))
        await #expect(throws: CancellationError.self) {
            try await client.data(for: try transfer()) { _, _ in throw CancellationError() }
        }
        let sent = service.mailbox.count
        #expect(try await call(client).problems == ["none"])
        #expect(service.mailbox.count == sent && service.count(.requestStepUp) == 1)
    }

    @Test("A cancelled task is a CancellationError also while the user is asked")
    func cancelledTask() async throws {
        let client = try await service.signedIn(Self.email)
        let request = try transfer()
        let (asked, source) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await client.data(for: request) { _, _ in
                source.yield()
                let (never, end) = AsyncStream.makeStream(of: Never.self)
                for await _ in never {}
                end.finish()
                return .code("000000")
            }
        }
        for await _ in asked { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(service.count(.checkOTP) == 1)
    }

    @Test("A denied scope, and one that the app does not offer, are errors that say so", arguments: [true, false])
    func denied(isOffered: Bool) async throws {
        if isOffered {
            try await service.deny(scope: Self.scope)
        } else {
            try serve { try $0.require(stepUp: "nobody:knows") }
        }
        let client = try await service.signedIn(Self.email)
        await #expect {
            try await call(client)
        } throws: {
            if case PreludeSessionError.forbidden = $0 { true } else { false }
        }
    }

    @Test("A backend that is never content gets one step-up, and its refusal is returned")
    func neverContent() async throws {
        try await service.allow(scope: Self.scope, steps: [], grantMode: .sessionBound)
        service.serveBackend { _ in
            let demand = #"Bearer error="insufficient_user_authentication", scope="transfer:write""#
            return TestService.BackendAnswer(status: 401, headers: ["WWW-Authenticate": demand])
        }
        #expect(try await call(try await service.signedIn()).status == 401)
        #expect(service.count(.requestStepUp) == 1)
    }

    @Test("A step of the app's own is proven by the second closure")
    func ownStep() async throws {
        try await service.allow(scope: Self.scope, steps: [.own("check_id"), .verifyEmail], grantMode: .sessionBound)
        let client = try await service.signedIn(Self.email)
        service.clock.advance(by: .seconds(31))
        let (_, response) = try await client.data(for: try transfer()) { challenge, _ in
            #expect(challenge.currentStep == "verify_email")
            return .code(try service.code(for: Self.email))
        } ownStep: {
            try await service.verificationToken(for: $0, as: client)
        }
        #expect(response.statusCode == 201)
    }

    @Test("The request is not sent as another user who signed in during the step-up")
    func otherLogin() async throws {
        try await service.createUser(email: "eve@example.com", password: "correct horse battery")
        let client = try await service.signedIn(Self.email)
        await #expect {
            try await client.data(for: try transfer()) { _, _ in
                let code = try service.code(for: Self.email)
                try await client.loginWithPassword(
                    LoginWithPasswordOptions(emailAddress: "eve@example.com", password: "correct horse battery"))
                return .code(code)
            }
        } throws: {
            if case PreludeSessionError.unauthorized = $0 { true } else { false }
        }
    }
}
