package import SessionDomain

@available(service, *)
extension PostgresStore: StepUpStore {
    package func grants(of userID: String, app: AppID, liveAt now: Timestamp) async throws -> [Grant] {
        try await read([Statement(Grant.live(of: "$2", at: "$3"), [app, userID, now])]) {
            try $0[0].all(Grant.init(reading:))
        }
    }
}
