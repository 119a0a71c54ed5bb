/// Reads the events of an app.
package protocol EventStore: IntentStore {
    /// Newest first.
    func events(app: AppID, limit: Int, offset: Int) async throws -> [Event]
}
