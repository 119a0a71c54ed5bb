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

/// Reads the digits of a code from what a user types or pastes.
enum CodeDigits {
    /// The decimal digits of a text as ASCII, from any script: `１２３ - ٤٥٦` is `123456`. Everything else is dropped.
    ///
    /// A text with more digits than a code is a pasted message, such as `Acme24: 123456`. It is read as the only code in it.
    /// Without one, it is read as no digits, so that no wrong code is submitted.
    ///
    /// - Parameter length: The number of digits of a code.
    static func read(_ text: String, length: Int) -> String {
        let groups = groups(of: text)
        let digits = groups.map(\.digits).joined()
        // The field has digits only, so those that are typed behind the code are in one group with it.
        guard digits.count > length, groups.count > 1 else { return String(digits.prefix(length)) }
        // A message may have its code twice: for the reader, and at its end for the system.
        for candidates in [groups.map(\.digits), chains(of: groups)] {
            let codes = Set(candidates.filter { $0.count == length })
            if let code = codes.first { return codes.count == 1 ? code : "" }
        }
        return ""
    }

    /// Digits with nothing between them.
    private struct Group {
        var digits: String
        /// Whether one separator is between the group and the one before: `123 456`, `123-456`.
        let continues: Bool
    }

    private static func groups(of text: String) -> [Group] {
        var groups: [Group] = []
        var gap: [Unicode.Scalar] = []
        for scalar in text.unicodeScalars where scalar.properties.generalCategory != .format {
            guard let digit = EnteredCode.digit(scalar) else {
                gap.append(scalar)
                continue
            }
            if gap.isEmpty, !groups.isEmpty {
                groups[groups.count - 1].digits += digit
            } else {
                groups.append(Group(digits: digit, continues: gap.count == 1 && EnteredCode.isSeparator(gap[0])))
            }
            gap = []
        }
        return groups
    }

    /// The digits of groups that continue each other.
    private static func chains(of groups: [Group]) -> [String] {
        groups.reduce(into: []) { chains, group in
            if group.continues, !chains.isEmpty {
                chains[chains.count - 1] += group.digits
            } else {
                chains.append(group.digits)
            }
        }
    }
}
