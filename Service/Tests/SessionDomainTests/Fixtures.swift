internal import SessionDomain
internal import Testing

let now = Timestamp(seconds: 1_800_000_000)

/// A clock that stands still, and random bytes that are all zero.
let stillEnvironment = ServiceEnvironment(
    now: { now }, randomBytes: { Array(repeating: 0, count: $0) }, sleep: { _ in })

func appID(_ text: String = "domain1") throws -> AppID { try #require(AppID(text)) }
