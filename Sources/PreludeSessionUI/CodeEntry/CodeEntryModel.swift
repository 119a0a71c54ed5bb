public import Foundation
@_spi(Service) public import PreludeSession

#if canImport(Combine)
    public import Combine
#endif

/// The model of a view in which a user enters a one-time code.
///
/// It reads digits of any script, submits the code after its last digit, counts down to the next code, and turns errors
/// into texts. A rejected code is not submitted twice.
@MainActor
public final class CodeEntryModel: ObservableObject {
    /// What happens to the code.
    public enum Phase: Sendable, Hashable {
        /// The user enters digits.
        case entering
        /// The service checks the code.
        case checking
        /// The code was right.
        case accepted
        /// The login or the challenge can no longer continue. Start it again.
        case ended
    }

    /// A call that submits a code. An error is shown.
    public typealias Check = @MainActor (_ code: String) async throws -> Void
    /// A call that requests another code. An error is shown.
    public typealias Resend = @MainActor () async throws -> Void

    private var entry: CodeEntry {
        willSet { objectWillChange.send() }
    }
    /// When the model was created. The countdown is drawn again each second from then on.
    let createdAt: Date
    private let environment: SDKEnvironment
    private let check: Check
    private let requestCode: Resend

    /// Creates a model for any call that takes a code. Create it when the code was sent.
    ///
    /// - Parameters:
    ///   - length: The number of digits.
    ///   - resendDelay: The seconds between two codes. A longer time that the service asks for is respected.
    ///   - check: Submits the code.
    ///   - resend: Requests another code.
    public convenience init(
        length: Int = 6, resendDelay: TimeInterval = 30, check: @escaping Check, resend: @escaping Resend
    ) {
        self.init(
            length: length, resendDelay: resendDelay, situation: .session, environment: .live, check: check,
            resend: resend)
    }

    /// Creates a model for a login that `startOTPLogin(_:)` of this client has started.
    ///
    /// - Parameters:
    ///   - client: The client of the login.
    ///   - length: The number of digits that the app is configured with.
    ///   - resendDelay: The seconds between two codes.
    ///   - onSignIn: Called with the signed-in user.
    public convenience init(
        client: PreludeSessionClient, length: Int = 6, resendDelay: TimeInterval = 30,
        onSignIn: @escaping @MainActor (PreludeUser) -> Void = { _ in }
    ) {
        self.init(
            length: length, resendDelay: resendDelay, situation: .signIn, environment: client.environment,
            check: { onSignIn(try await client.checkOTP($0)) }, resend: { try await client.resendOTP() })
    }

    init(
        length: Int, resendDelay: TimeInterval = 30, situation: SessionUIText.Situation, environment: SDKEnvironment,
        check: @escaping Check, resend: @escaping Resend
    ) {
        createdAt = environment.now()
        entry = CodeEntry(
            length: max(1, length), resendDelay: max(0, resendDelay), situation: situation, sentAt: createdAt)
        self.environment = environment
        self.check = check
        requestCode = resend
    }

    /// The number of digits.
    public var length: Int { entry.length }

    /// The digits so far, in ASCII.
    public var code: String { entry.digits }

    /// What happens to the code.
    public var phase: Phase { entry.phase }

    /// The text below the field; `nil` if there is none.
    public var message: SessionUIText? { entry.message }

    /// Whether the message is about an error.
    public var isProblem: Bool { entry.isProblem }

    /// Whether another code is being requested.
    public var isResending: Bool { entry.isResending }

    /// Whether the user can change the digits.
    public var isEditable: Bool { entry.isEditable }

    /// Whether the code that was sent no longer works, for example after too many wrong ones. Offer another one.
    public var needsNewCode: Bool { entry.needsNewCode }

    /// Whether another code can be requested when the countdown has ended.
    public var canResend: Bool { entry.canResend }

    /// Whether the code is complete, and was not rejected before.
    public var canSubmit: Bool { entry.canSubmit }

    /// The seconds until another code can be requested; 0 if it can be requested now.
    public var secondsUntilResend: Int { entry.secondsUntilResend(at: environment.now()) }

    /// Takes the text of the field. After the last digit, it submits the code.
    ///
    /// - Parameter text: All that the user has typed or pasted. Digits of any script are read, everything else is dropped. In
    ///   a pasted message with other digits, the code is found; if the message has none or two, no digits are read.
    /// - Returns: The task that submits the code; `nil` if the code is not complete.
    @discardableResult
    public func enter(_ text: String) -> Task<Void, Never>? {
        guard entry.enter(text) else {
            // The field shows more than the digits that were taken.
            if text != code { objectWillChange.send() }
            return nil
        }
        return Task { await submit() }
    }

    /// The text of the field.
    var text: String {
        get { code }
        set { enter(newValue) }
    }

    /// Submits the code if it is complete, for example again after a failed connection.
    public func submit() async {
        guard let code = entry.submit() else { return }
        do {
            try await check(code)
            entry.accept()
        } catch {
            entry.fail(error)
        }
    }

    /// Requests another code if the countdown has ended.
    public func resend() async {
        guard entry.resend(at: environment.now()) else { return }
        do {
            try await requestCode()
            entry.resent(at: environment.now())
        } catch {
            entry.failResend(error, at: environment.now())
        }
    }

    /// The seconds between two codes.
    var resendDelay: TimeInterval { entry.resendDelay }

    /// Continues the countdown with a time that the service asked for.
    func waitForResend(_ seconds: TimeInterval) {
        entry.wait(seconds, from: environment.now())
    }
}
