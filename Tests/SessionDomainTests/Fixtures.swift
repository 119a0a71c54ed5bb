internal import SessionDomain
internal import Testing

let now = Timestamp(seconds: 1_800_000_000)

extension ServiceEnvironment {
    /// A clock that stands still, and bytes that are all the same.
    static func fixed(byte: UInt8 = 0) -> ServiceEnvironment {
        ServiceEnvironment(
            now: { now }, randomBytes: { Array(repeating: byte, count: $0) }, sleep: { _ in })
    }
}

func appID(_ text: String = "domain1") throws -> AppID { try #require(AppID(text)) }
