public import Foundation
public import PreludeSession

extension SessionListModel {
    /// A session of the user in a list.
    public struct Item: Sendable, Hashable, Identifiable {
        /// The session.
        public let session: PreludeSessionView
        /// Whether it is the session of this device.
        public let isCurrent: Bool
        /// Whether it is being revoked.
        public internal(set) var isRevoking = false

        init(_ session: PreludeSessionView, currentID: String?) {
            self.session = session
            isCurrent = session.id == currentID
        }

        /// The session's id.
        public var id: String { session.id }

        /// The model of the device; `nil` if it is unknown.
        public var deviceName: String? { session.deviceModel.isEmpty ? nil : session.deviceModel }

        /// When the session was last refreshed; `nil` if the service sent no valid time.
        public var lastSeenAt: Date? { session.lastSeenDate }
    }
}
