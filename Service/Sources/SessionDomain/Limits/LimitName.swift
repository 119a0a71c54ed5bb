/// The name of a limit in events, logs and metrics: what is counted, without whose it is.
package enum LimitName: String, Sendable, CaseIterable {
    case starts
    case failuresHour = "failures_hour"
    case failuresDay = "failures_day"
    case failuresStreak = "failures_streak"
    case failuresOfUser = "failures_of_user"
    case sendsHour = "sends_hour"
    case sendsDay = "sends_day"
    case sendsOfUser = "sends_of_user"
    case sendsOfApp = "sends_of_app"
    case sendsToCallingCode = "sends_to_calling_code"
    case sendsToNumberRange = "sends_to_number_range"
    case startsOfAddress = "starts_of_address"
    case failuresOfAddress = "failures_of_address"
    case migrationsOfAddress = "migrations_of_address"
    case stepUps = "step_ups"
    case notices
    case deliveryTests = "delivery_tests"

    // By source address, in the memory of a process.
    case invalidCalls = "invalid_calls"
    case sourceManagementKeys = "source_management_key"

    /// The setting of the limit, as the management API names it, or of the service.
    package var setting: String {
        switch self {
        case .starts: "limits.starts"
        case .failuresHour: "limits.failed_checks"
        case .failuresDay, .failuresOfUser: "limits.failed_checks_per_day"
        case .failuresStreak: "limits.consecutive_failed_checks"
        case .sendsHour: "limits.sends_per_hour"
        case .sendsDay, .sendsOfUser: "limits.sends_per_day"
        case .sendsOfApp: "limits.app_sends_per_day"
        case .sendsToCallingCode: "limits.calling_code_sends_per_day"
        case .sendsToNumberRange: "limits.number_range_sends_per_day"
        case .startsOfAddress: "limits.starts_per_address"
        case .failuresOfAddress: "limits.failures_per_address"
        case .migrationsOfAddress: "limits.migrations_per_address"
        case .invalidCalls: "limits.invalid_calls_per_address"
        case .stepUps: "limits.step_ups"
        case .notices: "limits.notices_per_day"
        case .deliveryTests: "limits.delivery_tests"
        case .sourceManagementKeys: "wrongKeyLimit"
        }
    }

    /// Whether the limit can stop a message.
    package var isOfMessages: Bool {
        switch self {
        case .starts, .startsOfAddress, .sendsHour, .sendsDay, .sendsOfUser, .sendsOfApp, .sendsToCallingCode,
            .sendsToNumberRange, .stepUps, .notices:
            true
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
        // Codes have no limit per streak.
        case .sends(_, let span): span == .hour ? .sendsHour : .sendsDay
        case .failuresOfGroup: .failuresOfUser
        case .sendsOfGroup: .sendsOfUser
        case .sendsOfApp: .sendsOfApp
        case .sendsToCallingCode: .sendsToCallingCode
        case .sendsToNumberRange: .sendsToNumberRange
        case .reserve(let counter), .withheld(let counter): counter.limit
        case .startsOfNetwork: .startsOfAddress
        case .failuresOfNetwork, .failing: .failuresOfAddress
        case .migrationsOfNetwork: .migrationsOfAddress
        case .stepUps: .stepUps
        case .notices: .notices
        case .reports(let limit, _): limit
        case .deliveryTests: .deliveryTests
        }
    }
}
