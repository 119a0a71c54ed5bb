/// The limits of codes, of failed checks and of messages. Times are in seconds.
package struct LimitSettings: SettingsGroup {
    package var codeLifetime = 600
    package var checksPerCode = 5
    package var resendDelay = 30
    package var sendsPerVerification = 5
    /// Verifications started for one identifier, or by one known device.
    package var starts = RateLimit(limit: 5, window: 600)
    /// Failed checks of codes and passwords for one identifier, known device or session (NIST SP 800-63B-4 §3.1.3.2).
    package var failedChecks = RateLimit(limit: 10, window: 3600)
    package var failedChecksPerDay = 20
    /// Consecutive failed checks, from the last success on (NIST SP 800-63B-4 §3.2.2).
    package var consecutiveFailures = 99
    /// Codes sent to one destination, or for one known device or session.
    package var sendsPerHour = 5
    package var sendsPerDay = 10
    /// Codes of the whole app.
    package var appSendsPerDay = 10_000
    /// Codes to the numbers of one country calling code.
    package var callingCodeSendsPerDay = 2000
    /// Codes to one range of phone numbers, such as `+33612`.
    package var numberRangeSendsPerDay = 500
    /// The beginnings of phone numbers to which codes are sent, such as `+33`. If it is empty, there is no restriction.
    package var allowedPrefixes: [String] = []
    /// Asks the operator's backend before a code is sent.
    package var sendHook: SendHookConfig?
    /// Messages of logins, resends included, that strangers at one source address asked for, and whose right code has not
    /// come yet.
    package var startsPerAddress = RateLimit(limit: 150, window: 600)
    /// Identifiers at which strangers at one source address entered wrong passwords. A right one ends the count of its
    /// identifier.
    package var failuresPerAddress = RateLimit(limit: 60, window: 600)
    /// Calls of one source address with an unknown or used-up verification. Only such calls are refused.
    package var invalidCallsPerAddress = RateLimit(limit: 60, window: 600)
    /// Credentials of an earlier system without a success, from one source address.
    package var migrationsPerAddress = RateLimit(limit: 150, window: 600)
    /// Requests for a scope by one user.
    package var stepUps = RateLimit(limit: 30, window: 600)
    /// Notices of one kind to one user. Each goes to all of its recipients.
    package var noticesPerDay = 5
    /// Test messages of operators by the routes of the app: each may cost money, and goes to an address that an operator
    /// chooses.
    package var deliveryTests = RateLimit(limit: 10, window: 600)

    /// Seconds for which no verification lives longer, except with its last code.
    package static let longestVerification = 3600
    /// Seconds from the start of a verification in which it sends codes. The last one is accepted for its own life.
    package var verificationLifetime: Int { min(codeLifetime * sendsPerVerification, Self.longestVerification) }

    /// Seconds without a failed check after which a streak of failures ends.
    package static let streakWindow = 30 * 86_400

    package init() {}
}

extension LimitSettings {
    package static let defaults = Self()
    package static var place: any WritableKeyPath<App, Self> & Sendable { \.otpLimits }

    package static let schema = SettingsSchema<Self>(
        "limits",
        [
            .init(
                "A code",
                [
                    .number(
                        "code_lifetime", \.codeLifetime, from: 60, to: 600, in: .seconds, "Lifetime"),
                    .number(
                        "checks_per_code", \.checksPerCode, from: 1, to: 10, "Attempts",
                        hint: "At one code, or at two that are valid at once."),
                    .number(
                        "resend_delay", \.resendDelay, from: 0, to: .setting("code_lifetime", \.codeLifetime),
                        in: .seconds, "Time between two messages"),
                    .number(
                        "sends_per_verification", \.sendsPerVerification, from: 1, to: 20, "Messages",
                        hint: "With the first one."),
                ]),
            .init(
                "Attempts of strangers at one account, or of one device",
                [
                    .rate("starts", \.starts, "Logins with a code"),
                    .rate("failed_checks", \.failedChecks, "Wrong codes and passwords"),
                    .number(
                        "failed_checks_per_day", \.failedChecksPerDay, from: 0, to: 1_000_000,
                        "Wrong codes and passwords in a day",
                        hint: "All known devices, or all sessions, of one user have twice this number together."),
                    .number(
                        "consecutive_failed_checks", \.consecutiveFailures, from: 1, to: 99,
                        "Wrong ones without a right one between them",
                        hint: "Then the account is closed until you set its limits back, or for 30 days."
                    ).stored(as: "consecutiveFailures"),
                ]),
            .init(
                "Messages",
                [
                    .number(
                        "sends_per_hour", \.sendsPerHour, from: 0, to: 1_000_000, "To one destination in an hour"),
                    .number(
                        "sends_per_day", \.sendsPerDay, from: 0, to: 1_000_000, "To one destination in a day",
                        hint: "All known devices, or all sessions, of one user have twice this number together."),
                    .number(
                        "notices_per_day", \.noticesPerDay, from: 0, to: 1_000_000,
                        "Notices of one kind to one user in a day"),
                    .rate("step_ups", \.stepUps, "Requests for a scope by one user"),
                    .rate("delivery_tests", \.deliveryTests, "Test messages of operators"),
                    .number(
                        "app_sends_per_day", \.appSendsPerDay, from: 0, to: 100_000_000, "Of the whole app in a day",
                        hint:
                            "Codes and notices. It bounds what an attack can cost. Strangers can spend four fifths, three for new users. It is "
                            + "refilled evenly."
                    ),
                    .number(
                        "calling_code_sends_per_day", \.callingCodeSendsPerDay, from: 0, to: 100_000_000,
                        "To one country in a day", hint: "SMS to the numbers of one calling code, such as +33."),
                    .number(
                        "number_range_sends_per_day", \.numberRangeSendsPerDay, from: 0, to: 100_000_000,
                        "To one range of numbers in a day",
                        hint: "A range is a calling code and three digits, such as +33612."),
                    .lines(
                        "allowed_prefixes", \.allowedPrefixes, "Countries for SMS",
                        rule: "at most 300 prefixes of phone numbers, such as +33",
                        hint: "Beginnings of phone numbers, such as +33 or +1415, one per line. Empty: all countries."
                    ) { lines, _ in lines.count <= 300 && lines.allSatisfy(isPrefix) },
                    .optional(
                        "send_hook", \.sendHook, default: { SendHookConfig(url: "") }, "Send hook",
                        hint: "Your backend decides before each code is sent.",
                        [
                            .url(
                                "url", \.url, "Send hook",
                                hint: "A URL of your backend that decides before each code is sent. Empty: none."),
                            .choice(
                                "if_unavailable", \.ifUnavailable, "If the hook gives no answer in 2 seconds",
                                [.allow: "Send the code", .deny: "Send no code"]),
                        ]),
                ]),
            .init(
                "Strangers at one IP address",
                [
                    .rate(
                        "starts_per_address", \.startsPerAddress, "Messages that wait for their right code"),
                    .rate(
                        "failures_per_address", \.failuresPerAddress, "Accounts with wrong passwords",
                        hint: "An account is not counted when a right password was entered, too."),
                    // This one is kept in memory. A longer window would keep an address there for too long.
                    .rate(
                        "invalid_calls_per_address", \.invalidCallsPerAddress, longest: 3600,
                        "Calls without a running login",
                        hint: "Their verification is unknown or used up. Each node counts in its memory."),
                    .rate(
                        "migrations_per_address", \.migrationsPerAddress, "Rejected credentials of the old system"),
                ]),
        ])

    private static func isPrefix(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "+") && (1...15).contains(digits.count)
            && digits.allSatisfy { (0x30...0x39).contains($0) } && digits.first != UInt8(ascii: "0")
    }

    /// Whether any step-up with a code can succeed: no limit that it needs is 0.
    package var allowsCodeSteps: Bool {
        allowsChecks
            && [starts.limit, sendsPerHour, sendsPerDay, appSendsPerDay, stepUps.limit].allSatisfy { $0 > 0 }
    }

    /// Whether any login with a code can succeed. It has limits of its own for each address.
    package var allowsCodeLogins: Bool {
        allowsChecks && startsPerAddress.limit > 0 && failuresPerAddress.limit > 0
            && [starts.limit, sendsPerHour, sendsPerDay, appSendsPerDay].allSatisfy { $0 > 0 }
    }

    /// Whether any login with a password can succeed.
    package var allowsPasswords: Bool { allowsChecks && failuresPerAddress.limit > 0 }

    /// Whether any code or password can be checked. A limit of 0 rejects right ones, too.
    package var allowsChecks: Bool { failedChecks.limit > 0 && failedChecksPerDay > 0 }

    /// The phone numbers that get no codes by these limits, but by old ones.
    package func closedNumbers(of old: LimitSettings) -> [Range<String>] {
        NumberRanges.closed(from: old.allowedPrefixes, to: allowedPrefixes)
    }

    /// Whether the app sends messages to this destination. Mail is not restricted.
    package func allows(_ destination: CanonicalIdentifier) -> Bool {
        destination.type != .phoneNumber || allowedPrefixes.isEmpty
            || allowedPrefixes.contains(where: destination.mayBegin(with:))
    }

    /// Rejects a phone number to which the app sends no codes. The answer depends on the number only.
    func requireAllowed(_ destination: CanonicalIdentifier) throws(Refusal) {
        guard !allows(destination) else { return }
        throw .invalidIdentifier("identifier is a phone number of a country to which this app sends no codes")
    }
}

extension LimitSettings {
    /// The limit of a counter, for a network without its widening. `nil`: the counter is a mark, or counts nothing of its own.
    func rate(of key: CounterKey) -> RateLimit? {
        let day = 86_400
        switch key {
        case .starts: return starts
        case .failures(_, .hour): return failedChecks
        case .failures(_, .day): return RateLimit(limit: failedChecksPerDay, window: day)
        case .failures(_, .streak): return .streak(consecutiveFailures, window: Self.streakWindow)
        // Two devices or sessions of one user share twice the limit of one.
        case .failuresOfGroup: return RateLimit(limit: 2 * failedChecksPerDay, window: day)
        case .sends(_, .hour): return RateLimit(limit: sendsPerHour, window: 3600)
        case .sends: return RateLimit(limit: sendsPerDay, window: day)
        case .sendsOfGroup: return RateLimit(limit: 2 * sendsPerDay, window: day)
        case .sendsOfApp, .sendsToCallingCode, .sendsToNumberRange:
            return perDay(of: key).map { total in .refilling(total - total / 5, by: total - total / 5, window: day) }
        case .startsOfNetwork: return startsPerAddress
        case .failuresOfNetwork: return failuresPerAddress
        case .migrationsOfNetwork: return migrationsPerAddress
        case .stepUps: return stepUps
        case .deliveryTests: return deliveryTests
        case .notices: return RateLimit(limit: noticesPerDay, window: day)
        case .reserve, .withheld, .failing, .reports: return nil
        }
    }

    /// The messages of a total in a day, with its reserve. `nil` for a counter that is no total.
    func perDay(of key: CounterKey) -> Int? {
        switch key {
        case .sendsOfApp: appSendsPerDay
        case .sendsToCallingCode: callingCodeSendsPerDay
        case .sendsToNumberRange: numberRangeSendsPerDay
        default: nil
        }
    }
}
