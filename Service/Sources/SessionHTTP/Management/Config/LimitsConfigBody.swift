import SessionDomain

/// The limits of codes, failed checks and messages, in requests and in responses. Times are in seconds.
struct LimitsConfigBody: Codable {
    /// At most `limit` events in `window` seconds.
    struct Rate: Codable {
        let limit: Int
        let window: Int

        init(_ limit: RateLimit) {
            self.limit = limit.limit
            window = limit.window
        }

        var rateLimit: RateLimit { RateLimit(limit: limit, window: window) }
    }

    /// The hook that decides on messages.
    struct SendHook: Codable {
        let url: String
        let ifUnavailable: String?

        private enum CodingKeys: String, CodingKey {
            case url
            case ifUnavailable = "if_unavailable"
        }

        init(_ config: SendHookConfig) {
            url = config.url
            ifUnavailable = config.ifUnavailable.rawValue
        }

        func config() throws(Refusal) -> SendHookConfig {
            guard let ifUnavailable else { return SendHookConfig(url: url) }
            guard let rule = SendHookConfig.Fallback(rawValue: ifUnavailable) else {
                throw .invalidField("send_hook.if_unavailable", "must be allow or deny")
            }
            return SendHookConfig(url: url, ifUnavailable: rule)
        }
    }

    let codeLifetime: Int?
    let checksPerCode: Int?
    let resendDelay: Int?
    let sendsPerVerification: Int?
    let starts: Rate?
    let failedChecks: Rate?
    let failedChecksPerDay: Int?
    let consecutiveFailures: Int?
    let sendsPerHour: Int?
    let sendsPerDay: Int?
    let appSendsPerDay: Int?
    let callingCodeSendsPerDay: Int?
    let numberRangeSendsPerDay: Int?
    let allowedPrefixes: [String]?
    let sendHook: SendHook?
    let startsPerAddress: Rate?
    let failuresPerAddress: Rate?
    let invalidCallsPerAddress: Rate?
    let migrationsPerAddress: Rate?
    let stepUps: Rate?
    let noticesPerDay: Int?
    let deliveryTests: Rate?

    private enum CodingKeys: String, CodingKey {
        case starts
        case codeLifetime = "code_lifetime"
        case checksPerCode = "checks_per_code"
        case resendDelay = "resend_delay"
        case sendsPerVerification = "sends_per_verification"
        case failedChecks = "failed_checks"
        case failedChecksPerDay = "failed_checks_per_day"
        case consecutiveFailures = "consecutive_failed_checks"
        case sendsPerHour = "sends_per_hour"
        case sendsPerDay = "sends_per_day"
        case appSendsPerDay = "app_sends_per_day"
        case callingCodeSendsPerDay = "calling_code_sends_per_day"
        case numberRangeSendsPerDay = "number_range_sends_per_day"
        case sendHook = "send_hook"
        case allowedPrefixes = "allowed_prefixes"
        case startsPerAddress = "starts_per_address"
        case failuresPerAddress = "failures_per_address"
        case invalidCallsPerAddress = "invalid_calls_per_address"
        case migrationsPerAddress = "migrations_per_address"
        case stepUps = "step_ups"
        case noticesPerDay = "notices_per_day"
        case deliveryTests = "delivery_tests"
    }

    init(_ limits: OTPLimits) {
        codeLifetime = limits.codeLifetime
        checksPerCode = limits.checksPerCode
        resendDelay = limits.resendDelay
        sendsPerVerification = limits.sendsPerVerification
        starts = Rate(limits.starts)
        failedChecks = Rate(limits.failedChecks)
        failedChecksPerDay = limits.failedChecksPerDay
        consecutiveFailures = limits.consecutiveFailures
        sendsPerHour = limits.sendsPerHour
        sendsPerDay = limits.sendsPerDay
        appSendsPerDay = limits.appSendsPerDay
        callingCodeSendsPerDay = limits.callingCodeSendsPerDay
        numberRangeSendsPerDay = limits.numberRangeSendsPerDay
        allowedPrefixes = limits.allowedPrefixes
        sendHook = limits.sendHook.map(SendHook.init)
        startsPerAddress = Rate(limits.startsPerAddress)
        failuresPerAddress = Rate(limits.failuresPerAddress)
        invalidCallsPerAddress = Rate(limits.invalidCallsPerAddress)
        migrationsPerAddress = Rate(limits.migrationsPerAddress)
        stepUps = Rate(limits.stepUps)
        noticesPerDay = limits.noticesPerDay
        deliveryTests = Rate(limits.deliveryTests)
    }

    /// The limits that replace the stored ones. A missing member gets its default.
    ///
    /// - Throws: `Refusal.invalidField`.
    func limits() throws(Refusal) -> OTPLimits {
        var limits = OTPLimits()
        limits.codeLifetime = codeLifetime ?? limits.codeLifetime
        limits.checksPerCode = checksPerCode ?? limits.checksPerCode
        limits.resendDelay = resendDelay ?? limits.resendDelay
        limits.sendsPerVerification = sendsPerVerification ?? limits.sendsPerVerification
        limits.starts = starts?.rateLimit ?? limits.starts
        limits.failedChecks = failedChecks?.rateLimit ?? limits.failedChecks
        limits.failedChecksPerDay = failedChecksPerDay ?? limits.failedChecksPerDay
        limits.consecutiveFailures = consecutiveFailures ?? limits.consecutiveFailures
        limits.sendsPerHour = sendsPerHour ?? limits.sendsPerHour
        limits.sendsPerDay = sendsPerDay ?? limits.sendsPerDay
        limits.appSendsPerDay = appSendsPerDay ?? limits.appSendsPerDay
        limits.callingCodeSendsPerDay = callingCodeSendsPerDay ?? limits.callingCodeSendsPerDay
        limits.numberRangeSendsPerDay = numberRangeSendsPerDay ?? limits.numberRangeSendsPerDay
        limits.sendHook = try sendHook?.config()
        limits.allowedPrefixes = allowedPrefixes ?? limits.allowedPrefixes
        limits.startsPerAddress = startsPerAddress?.rateLimit ?? limits.startsPerAddress
        limits.failuresPerAddress = failuresPerAddress?.rateLimit ?? limits.failuresPerAddress
        limits.invalidCallsPerAddress = invalidCallsPerAddress?.rateLimit ?? limits.invalidCallsPerAddress
        limits.migrationsPerAddress = migrationsPerAddress?.rateLimit ?? limits.migrationsPerAddress
        limits.stepUps = stepUps?.rateLimit ?? limits.stepUps
        limits.noticesPerDay = noticesPerDay ?? limits.noticesPerDay
        limits.deliveryTests = deliveryTests?.rateLimit ?? limits.deliveryTests
        try limits.validate()
        return limits
    }
}
