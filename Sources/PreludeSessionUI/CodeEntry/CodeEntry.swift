internal import Foundation
@_spi(Service) internal import PreludeSession

/// The state of a code that a user enters. Its methods return what to do.
struct CodeEntry: Sendable {
    /// The number of digits.
    let length: Int
    /// The seconds between two codes, if the service does not say otherwise.
    let resendDelay: TimeInterval
    let situation: SessionUIText.Situation

    private(set) var digits = ""
    private(set) var phase = CodeEntryModel.Phase.entering
    private(set) var message: SessionUIText?
    private(set) var isProblem = false
    private(set) var isResending = false
    private(set) var resendsAt: Date
    /// Whether the code that was sent no longer works, so that only another one helps.
    private(set) var needsNewCode = false
    /// The digits that the service rejected. They are not sent again.
    private var rejected: String?

    init(length: Int, resendDelay: TimeInterval, situation: SessionUIText.Situation, sentAt: Date) {
        self.length = length
        self.resendDelay = resendDelay
        self.situation = situation
        resendsAt = sentAt.addingTimeInterval(resendDelay)
    }

    var isEditable: Bool { phase == .entering && !isResending && !needsNewCode }

    var canResend: Bool { phase == .entering && !isResending }

    var canSubmit: Bool { isEditable && digits.count == length && digits != rejected }

    func secondsUntilResend(at now: Date) -> Int {
        let seconds = resendsAt.timeIntervalSince(now)
        return max(0, Int(min(seconds, Self.longestWait).rounded(.up)))
    }

    /// A day. No wait of the service is longer.
    private static let longestWait: TimeInterval = 86_400

    /// Sets the time of the next code.
    mutating func wait(_ seconds: TimeInterval, from now: Date) { resendsAt = now.addingTimeInterval(seconds) }

    /// Takes what the user typed or pasted.
    ///
    /// - Returns: Whether the code is complete and must be submitted: the last digit was just entered.
    mutating func enter(_ text: String) -> Bool {
        guard isEditable else { return false }
        let entered = CodeDigits.read(text, length: length)
        guard entered != digits else { return false }
        digits = entered
        // The text about the last code is read by now.
        if !entered.isEmpty { say(nil) }
        if entered == rejected {
            digits = ""
            say(SessionUIText(PreludeSessionMessage(.wrongCode)), isProblem: true)
        }
        return canSubmit
    }

    /// - Returns: The code to submit; `nil` if none may be submitted now.
    mutating func submit() -> String? {
        guard canSubmit else { return nil }
        phase = .checking
        say(nil)
        return digits
    }

    mutating func accept() {
        phase = .accepted
        say(nil)
    }

    /// Takes the error of a submitted code. The digits stay if the same code can be tried again.
    mutating func fail(_ error: any Error) {
        phase = .entering
        let problem = error as? PreludeSessionError
        if case .invalidOTPCode = problem {
            rejected = digits
            digits = ""
            needsNewCode = problem?.needsNewCode == true
        }
        end(after: problem)
        say(SessionUIText.shown(for: error, in: situation), isProblem: true)
    }

    /// - Returns: Whether a code must be requested.
    mutating func resend(at now: Date) -> Bool {
        guard canResend, secondsUntilResend(at: now) == 0 else { return false }
        isResending = true
        say(nil)
        return true
    }

    mutating func resent(at now: Date) {
        isResending = false
        needsNewCode = false
        digits = ""
        rejected = nil
        resendsAt = now.addingTimeInterval(resendDelay)
        say(SessionUIText(.newCodeSent))
    }

    mutating func failResend(_ error: any Error, at now: Date) {
        isResending = false
        let problem = error as? PreludeSessionError
        if case .rateLimited = problem { wait(problem?.retryAfter ?? resendDelay, from: now) }
        end(after: problem)
        say(SessionUIText.shown(for: error, in: situation), isProblem: true)
    }

    private mutating func end(after problem: PreludeSessionError?) {
        guard problem?.endsCodeEntry == true else { return }
        phase = .ended
        digits = ""
    }

    private mutating func say(_ text: SessionUIText?, isProblem: Bool = false) {
        message = text
        self.isProblem = isProblem && text != nil
    }
}
