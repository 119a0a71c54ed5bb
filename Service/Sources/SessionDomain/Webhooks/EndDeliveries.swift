/// Fails pending deliveries of an inactive webhook. Returns whether there were any: then more may be pending.
///
/// A webhook whose endpoint was away for days has more of them than one transaction can change in the time that it may take.
/// An inactive webhook gets no further deliveries, so repeating this comes to an end.
package struct EndDeliveries: Intent {
    package let id: String
    package let appID: AppID
    package let limit: Int

    package init(of id: String, app: AppID, limit: Int = Self.batchSize) {
        self.id = id
        appID = app
        self.limit = limit
    }

    /// Deliveries that one transaction ends or deletes.
    package static let batchSize = 2000
    static let reason = "the webhook was changed"

    package var facts: FactQuery {
        FactQuery(app: appID) {
            $0.webhook = id
            $0.dueDeliveries = .init(now: Timestamp(milliseconds: .max), limit: 1)
        }
    }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        guard let webhook = facts.webhook, webhook.status == .inactive, !facts.dueDeliveries.isEmpty else {
            return Decision(false)
        }
        return Decision(true, [.failPendingDeliveries(of: webhook, error: Self.reason, limit: limit)])
    }
}
