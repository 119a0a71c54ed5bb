internal import Synchronization

/// The messages that this process is sending. None of them is sent twice at the same time, also when its lease has ended.
@available(service, *)
final class MessageFlights: Sendable {
    fileprivate struct ID: Hashable {
        let app: AppID
        let message: String
    }

    /// As they were claimed last.
    private let claims = Mutex<[ID: QueuedMessage]>([:])

    /// Notes a claim.
    ///
    /// - Returns: Whether the message may be sent. `false` if it is being sent; the new lease counts then.
    func begin(_ message: QueuedMessage) -> Bool {
        claims.withLock { $0.updateValue(message, forKey: ID(message)) == nil }
    }

    /// Returns the message as it was claimed last.
    func latest(of message: QueuedMessage) -> QueuedMessage { claims.withLock { $0[ID(message)] } ?? message }

    func end(_ message: QueuedMessage) { claims.withLock { _ = $0.removeValue(forKey: ID(message)) } }
}

@available(service, *)
extension MessageFlights.ID {
    fileprivate init(_ message: QueuedMessage) { self.init(app: message.appID, message: message.id) }
}
