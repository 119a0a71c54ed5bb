/// The limits of codes, of failed checks and of messages. Times are in seconds.
package struct OTPLimits: Sendable, Equatable, Codable {
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

extension OTPLimits {
    enum CodingKeys: CodingKey {
        case codeLifetime, checksPerCode, resendDelay, sendsPerVerification, starts, failedChecks, failedChecksPerDay
        case consecutiveFailures, sendsPerHour, sendsPerDay, appSendsPerDay, callingCodeSendsPerDay
        case numberRangeSendsPerDay, allowedPrefixes, sendHook
        case startsPerAddress, failuresPerAddress, invalidCallsPerAddress, migrationsPerAddress
        case stepUps, noticesPerDay, deliveryTests
    }

    /// Decodes a stored record. Limits that are missing in an older record have their defaults.
    package init(from decoder: any Decoder) throws {
        self.init()
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys, _ limit: inout Value) throws {
            if let value = try stored.decodeIfPresent(Value.self, forKey: key) { limit = value }
        }
        try read(.codeLifetime, &codeLifetime)
        try read(.checksPerCode, &checksPerCode)
        try read(.resendDelay, &resendDelay)
        try read(.sendsPerVerification, &sendsPerVerification)
        try read(.starts, &starts)
        try read(.failedChecks, &failedChecks)
        try read(.failedChecksPerDay, &failedChecksPerDay)
        try read(.consecutiveFailures, &consecutiveFailures)
        try read(.sendsPerHour, &sendsPerHour)
        try read(.sendsPerDay, &sendsPerDay)
        try read(.appSendsPerDay, &appSendsPerDay)
        try read(.callingCodeSendsPerDay, &callingCodeSendsPerDay)
        try read(.numberRangeSendsPerDay, &numberRangeSendsPerDay)
        sendHook = try stored.decodeIfPresent(SendHookConfig.self, forKey: .sendHook)
        try read(.allowedPrefixes, &allowedPrefixes)
        try read(.startsPerAddress, &startsPerAddress)
        try read(.failuresPerAddress, &failuresPerAddress)
        try read(.invalidCallsPerAddress, &invalidCallsPerAddress)
        try read(.migrationsPerAddress, &migrationsPerAddress)
        try read(.stepUps, &stepUps)
        try read(.noticesPerDay, &noticesPerDay)
        try read(.deliveryTests, &deliveryTests)
    }
}

extension OTPLimits {
    /// Rejects limits that are out of range or contradict each other. The fields are those of the management API.
    package func validate() throws(Refusal) {
        try Self.check(codeLifetime, in: 60...600, "code_lifetime", "60 to 600 seconds")
        try Self.check(checksPerCode, in: 1...10, "checks_per_code", "1 to 10")
        try Self.check(resendDelay, in: 0...codeLifetime, "resend_delay", "0 to code_lifetime seconds")
        try Self.check(sendsPerVerification, in: 1...20, "sends_per_verification", "1 to 20")
        try Self.check(starts, "starts", longest: 86_400)
        try Self.check(failedChecks, "failed_checks", longest: 86_400)
        let counts = 0...1_000_000
        try Self.check(failedChecksPerDay, in: counts, "failed_checks_per_day", "0 to 1000000")
        try Self.check(consecutiveFailures, in: 1...99, "consecutive_failed_checks", "1 to 99")
        try Self.check(sendsPerHour, in: counts, "sends_per_hour", "0 to 1000000")
        try Self.check(sendsPerDay, in: counts, "sends_per_day", "0 to 1000000")
        try Self.check(appSendsPerDay, in: 0...100_000_000, "app_sends_per_day", "0 to 100000000")
        try Self.check(
            callingCodeSendsPerDay, in: 0...100_000_000, "calling_code_sends_per_day", "0 to 100000000")
        try Self.check(
            numberRangeSendsPerDay, in: 0...100_000_000, "number_range_sends_per_day", "0 to 100000000")
        guard allowedPrefixes.count <= 300, allowedPrefixes.allSatisfy(Self.isPrefix) else {
            throw .invalidField("allowed_prefixes", "must be at most 300 prefixes of phone numbers, such as +33")
        }
        try Self.check(startsPerAddress, "starts_per_address", longest: 86_400)
        try Self.check(failuresPerAddress, "failures_per_address", longest: 86_400)
        // This one is kept in memory. A longer window would keep an address there for too long.
        try Self.check(
            invalidCallsPerAddress, "invalid_calls_per_address", longest: 3600)
        try Self.check(migrationsPerAddress, "migrations_per_address", longest: 86_400)
        try Self.check(stepUps, "step_ups", longest: 86_400)
        try Self.check(noticesPerDay, in: counts, "notices_per_day", "0 to 1000000")
        try Self.check(deliveryTests, "delivery_tests", longest: 86_400)
    }

    private static func check(
        _ value: Int, in range: ClosedRange<Int>, _ field: String, _ text: String
    ) throws(Refusal) {
        guard range.contains(value) else { throw .invalidField(field, "must be \(text)") }
    }

    private static func check(_ limit: RateLimit, _ field: String, longest: Int) throws(Refusal) {
        try check(limit.limit, in: 0...1_000_000, "\(field).limit", "0 to 1000000")
        try check(limit.window, in: 1...longest, "\(field).window", "1 to \(longest) seconds")
    }

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
    package func closedNumbers(of old: OTPLimits) -> [Range<String>] {
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
