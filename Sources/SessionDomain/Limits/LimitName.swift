/// The name of a limit in events, logs and metrics: what is counted, without whose it is.
package enum LimitName: String, Sendable, CaseIterable {
    case starts
    case failuresHour = "failures_hour"
    case failuresDay = "failures_day"
    case failuresStreak = "failures_streak"
    case failuresOfUser = "failures_of_user"
    case passwordTries = "password_tries"
    case sendsHour = "sends_hour"
    case sendsDay = "sends_day"
    case sendsOfUser = "sends_of_user"
    case sendsOfApp = "sends_of_app"
    case sendsToCallingCode = "sends_to_calling_code"
    case stepUps = "step_ups"
    case notices
    case deliveryTests = "delivery_tests"

    // By source address, in the memory of a process.
    case sourceStarts = "source_otp"
    case sourceSends = "source_send"
    case sourceChecks = "source_check"
    case sourcePasswords = "source_password"
    case sourceMigrations = "source_migration"
    case sourceManagementKeys = "source_management_key"

    /// Whether the limit can stop a message.
    package var isOfMessages: Bool {
        switch self {
        case .starts, .sendsHour, .sendsDay, .sendsOfUser, .sendsOfApp, .sendsToCallingCode, .stepUps, .notices: true
        default: false
        }
    }
}

extension CounterKey {
    package var limit: LimitName {
        switch self {
        case .starts: .starts
        case .failures(_, .hour): .failuresHour
        case .failures(_, .day): .failuresDay
        case .failures(_, .streak): .failuresStreak
        case .passwordTries: .passwordTries
        // Codes have no limit per streak.
        case .sends(_, let span): span == .hour ? .sendsHour : .sendsDay
        case .failuresOfGroup: .failuresOfUser
        case .sendsOfGroup: .sendsOfUser
        case .sendsOfApp: .sendsOfApp
        case .sendsToCallingCode: .sendsToCallingCode
        case .stepUps: .stepUps
        case .notices: .notices
        case .deliveryTests: .deliveryTests
        }
    }
}
