@_spi(Service) public import PreludeSession

#if canImport(Combine)
    public import Combine
#endif

/// The model of a view that gets a scope for the session, step by step.
///
/// It continues an open challenge after a relaunch, sends the code of each step, and runs the app's own steps.
@MainActor
public final class StepUpModel: ObservableObject {
    /// Where the step-up is.
    public enum Phase: Sendable {
        /// Not started, or a call is running.
        case waiting
        /// The user enters the code of a step.
        case code(CodeEntryModel, Channel)
        /// The access token carries the scope.
        case completed
        /// The app's rules deny the scope. Starting again does not help.
        case denied
        /// A call failed, or the challenge has ended. `start()` begins again.
        case failed(SessionUIText)
    }

    /// Returns the proof of a step of the app's own: a JWT of the app's backend.
    public typealias OwnStep = @MainActor (StepUpChallenge) async throws -> String

    /// Where the step-up is.
    public private(set) var phase = Phase.waiting {
        willSet { objectWillChange.send() }
    }
    /// The scope that the session gets.
    public let scope: String

    private let client: PreludeSessionClient
    private let steps: StepUpSteps
    private let codeLength: Int
    private let ownStep: OwnStep?
    private let onComplete: @MainActor () -> Void
    private let running = SingleRun()

    /// Creates a model. Call `start()` when its view appears.
    ///
    /// - Parameters:
    ///   - client: The client of the user's session.
    ///   - scope: The scope, such as `transfer:write`.
    ///   - metadata: What the app's rules need to know, see `requestStepUp(scope:metadata:)`.
    ///   - codeLength: The number of digits of a code.
    ///   - onComplete: Called when the access token carries the scope.
    ///   - ownStep: Returns the proof of each step that is not a code. Without it, such a step fails.
    public init(
        client: PreludeSessionClient, scope: String, metadata: [String: String]? = nil, codeLength: Int = 6,
        onComplete: @escaping @MainActor () -> Void = {}, ownStep: OwnStep? = nil
    ) {
        self.client = client
        self.scope = scope
        steps = StepUpSteps(client: client, scope: scope, metadata: metadata)
        self.codeLength = codeLength
        self.ownStep = ownStep
        self.onComplete = onComplete
    }

    /// Requests the scope and sends the first code. An open challenge for the scope continues.
    ///
    /// While another call runs, it waits for that call. If that one was cancelled, it starts.
    public func start() async {
        await running { await self.run() }
    }

    private func run() async {
        guard !isDecided else { return }
        phase = .waiting
        await attempt { self.update(to: try await self.steps.begin(ownStep: self.ownStep)) }
    }

    /// Whether starting again changes nothing, or would interrupt the user.
    private var isDecided: Bool {
        switch phase {
        case .waiting, .failed: false
        // After an accepted code, only a cancelled call leaves its entry on the screen.
        case .code(let entry, _): entry.phase == .entering || entry.phase == .checking
        case .completed, .denied: true
        }
    }

    private func attempt(_ work: @MainActor () async throws -> Void) async {
        do {
            try await work()
        } catch PreludeSessionError.forbidden {
            phase = .denied
        } catch {
            // A cancelled view calls `start()` again when it appears.
            if let text = SessionUIText.shown(for: error, in: .session) { phase = .failed(text) }
        }
    }

    private func update(to point: StepUpSteps.Point) {
        switch point {
        case .completed: complete()
        case .code(let challenge, let pause):
            let entry = CodeEntryModel(
                length: codeLength, situation: .session, environment: client.environment,
                check: { [weak self] code in try await self?.submit(code, for: challenge) },
                resend: { [client] in try await client.sendStepUpOTP(challenge) })
            if let pause { entry.waitForResend(pause) }
            phase = .code(entry, Channel(step: challenge.currentStep))
        }
    }

    private func submit(_ code: String, for challenge: StepUpChallenge) async throws {
        let next = try await client.submitStepUpOTP(challenge, code: code)
        // The code was right. An error of the next step is not about it.
        await attempt { self.update(to: try await self.steps.proceed(from: next, ownStep: self.ownStep)) }
    }

    private func complete() {
        phase = .completed
        onComplete()
    }
}

extension StepUpModel {
    /// How the code of a step is sent.
    public enum Channel: Sendable, Hashable {
        /// To the user's phone number.
        case sms
        /// To the user's e-mail address.
        case email

        init(step: String?) { self = step == "verify_sms" ? .sms : .email }

        /// Says where the code was sent.
        public var text: SessionUIText { SessionUIText(self == .sms ? .codeSentBySMS : .codeSentByEmail) }
    }
}
