import SessionDomain
import SessionWire

extension SessionView {
    /// A session as both APIs show it.
    init(_ session: Session) {
        self.init(
            id: session.id, deviceModel: session.device.model, deviceType: session.device.type,
            osVersion: session.device.osVersion, countryCode: session.device.countryCode,
            createdAt: session.createdAt.rfc3339, lastSeenAt: session.lastSeenAt.rfc3339,
            expiresAt: session.expiresAt.rfc3339)
    }
}
