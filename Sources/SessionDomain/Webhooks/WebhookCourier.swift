internal import SessionTokens

/// Empties the outbox: at least once, in batches, with ids by which receivers recognise a repeat.
package struct WebhookCourier: Sendable {
    private let store: any WebhookStore
    private let directory: AppDirectory
    private let call: HookCall
    private let environment: ServiceEnvironment

    static let agent = "Prelude-SessionWebhook/1.0"
    static let signaturePrefix = "rsassa-pss-sha256="
    /// Seconds an endpoint has for its answer.
    static let timeout = 10
    /// Seconds for which claimed deliveries are nobody else's; longer than a round can take.
    static let lease = 60
    /// Deliveries of one round.
    static let roundSize = 200
    /// Events of one request.
    static let batchSize = 100

    init(store: any WebhookStore, directory: AppDirectory, call: HookCall, environment: ServiceEnvironment) {
        self.store = store
        self.directory = directory
        self.call = call
        self.environment = environment
    }

    /// Delivers once a second what is due, until cancelled.
    package func run(report: @Sendable (any Error) -> Void) async {
        while !Task.isCancelled {
            do {
                while try await deliverDue() >= Self.roundSize {}
            } catch is CancellationError {
                return
            } catch {
                report(error)
            }
            if (try? await environment.sleep(1)) == nil { return }
        }
    }

    /// One round; how many deliveries it tried. Webhooks do not wait for each other.
    @discardableResult
    package func deliverDue() async throws -> Int {
        let now = environment.now()
        let claimed = try await store.claimDeliveries(
            now: now, leaseEnd: now + Self.lease, limit: Self.roundSize)
        let batches = Dictionary(grouping: claimed) { $0.delivery.webhookID }.values
        try await withThrowingTaskGroup(of: Void.self) { group in
            for batch in batches { group.addTask { try await deliver(batch) } }
            try await group.waitForAll()
        }
        return claimed.count
    }

    private struct Body: Encodable {
        struct Entry: Encodable {
            let id: String
            let name: String
            let createdAt: String
            let data: [String: JSONValue]

            private enum CodingKeys: String, CodingKey {
                case id, name, data
                case createdAt = "created_at"
            }
        }

        let appID: String
        let events: [Entry]

        private enum CodingKeys: String, CodingKey {
            case events
            case appID = "app_id"
        }
    }

    private func deliver(_ claimed: [ClaimedDelivery]) async throws {
        for start in stride(from: 0, to: claimed.count, by: Self.batchSize) {
            let batch = claimed[start..<min(start + Self.batchSize, claimed.count)]
            let result = try await post(batch.map(\.delivery.event), to: batch.first?.url ?? "")
            let now = environment.now()
            try await store.record(batch.map { $0.delivery.tried(result, at: now) })
            // The endpoint is in trouble: the rest would only make it worse, and its lease ends soon enough.
            if result != .answered(200) { return }
        }
    }

    private func post(_ events: [Event], to url: String) async throws -> DeliveryResult {
        guard let appID = events.first?.appID else { return .unreachable("there is nothing to send") }
        let body = Body(
            appID: appID.rawValue,
            events: events.map {
                .init(id: $0.id, name: $0.name.rawValue, createdAt: $0.createdAt.rfc3339, data: $0.data)
            })
        do {
            let answer = try await call.post(
                body, to: url, agent: Self.agent, prefix: Self.signaturePrefix, timeout: Self.timeout,
                app: try await directory.app(appID))
            return .answered(answer.status)
        } catch let error as EgressError {
            return .unreachable(error.summary)
        }
    }
}

extension EgressError {
    /// A few words for the delivery log.
    package var summary: String {
        switch self {
        case .refusedURL(let reason): "the URL is refused: \(reason)"
        case .refusedAddress(let reason): "the address is refused: \(reason)"
        case .cannotResolve(let reason): "the name cannot be resolved: \(reason)"
        case .timedOut: "no answer in time"
        case .answerTooLarge: "the answer is too large"
        case .connectionFailed(let reason): "no connection: \(reason)"
        }
    }
}
