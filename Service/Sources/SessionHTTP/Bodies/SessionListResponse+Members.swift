import SessionTokens
import SessionWire

extension SessionListResponse {
    /// The members of its JSON, as `Encodable` writes them.
    var members: [String: JSONValue] {
        [
            "sessions": .array(sessions.map { .object($0.members) }), "total": .int(Int64(total)),
            "limit": .int(Int64(limit)), "offset": .int(Int64(offset)),
        ]
    }
}

extension SessionView {
    fileprivate var members: [String: JSONValue] {
        [
            "id": .string(id), "device_model": .string(deviceModel), "device_type": .string(deviceType),
            "os_version": .string(osVersion), "country_code": .string(countryCode), "created_at": .string(createdAt),
            "last_seen_at": .string(lastSeenAt), "expires_at": .string(expiresAt),
        ]
    }
}
