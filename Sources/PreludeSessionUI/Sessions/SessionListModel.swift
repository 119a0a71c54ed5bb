public import Foundation
public import PreludeSession

#if canImport(Combine)
    public import Combine
#endif

/// The model of a list of the user's sessions, this device first.
@MainActor
public final class SessionListModel: ObservableObject {
    /// The state of the list.
    public enum Phase: Sendable, Hashable {
        /// Nothing was loaded yet.
        case empty
        /// The first page is loading for the first time.
        case loading
        /// There are sessions to show. After an error they may be old; `message` then is set.
        case loaded
        /// The first page could not be loaded. `message` says why.
        case failed
    }

    private struct Content: Sendable {
        var items: [Item] = []
        var total = 0
        var fetched = 0
        var phase = Phase.empty
        var isBusy = false
        var message: SessionUIText?
    }

    private var content = Content() {
        willSet { objectWillChange.send() }
    }
    private let client: PreludeSessionClient
    private let pageSize: Int
    private let loading = SingleRun()

    /// Creates a model. It loads nothing yet.
    ///
    /// - Parameters:
    ///   - client: The client of the user's session.
    ///   - pageSize: How many sessions are loaded at once, 1–100.
    public init(client: PreludeSessionClient, pageSize: Int = 20) {
        self.client = client
        self.pageSize = min(max(pageSize, 1), 100)
    }

    /// The sessions that were loaded, this device first, then last seen first.
    public var items: [Item] { content.items }

    /// The state of the list.
    public var phase: Phase { content.phase }

    /// The text about the last error; `nil` if there was none.
    public var message: SessionUIText? { content.message }

    /// Whether a call is running. Others are ignored until it ends.
    public var isBusy: Bool { content.isBusy }

    /// Whether there are more sessions than were loaded.
    public var hasMore: Bool { content.fetched < content.total }

    /// Whether there is another session than that of this device.
    public var hasOthers: Bool { hasMore || content.items.contains { !$0.isCurrent } }

    /// Loads the first page. The sessions that are shown stay if it fails.
    ///
    /// While another load runs, it waits for that one. If that one was cancelled, it loads.
    public func load() async {
        await loading { await self.loadFirstPage() }
    }

    private func loadFirstPage() async {
        guard !content.isBusy else { return }
        if content.phase != .loaded { content.phase = .loading }
        await run { try await self.fetch(from: 0) }
        // Only a cancelled call has no message.
        if content.phase == .loading { content.phase = content.message == nil ? .empty : .failed }
    }

    /// Loads the next page, if there is one.
    public func loadMore() async {
        guard hasMore else { return }
        await run { try await self.fetch(from: self.content.fetched) }
    }

    /// Revokes a session. For the session of this device, it signs out, also without a network.
    ///
    /// - Parameter id: The id of an item.
    public func revoke(_ id: Item.ID) async {
        guard !content.isBusy, let item = content.items.first(where: { $0.id == id }) else { return }
        mark(id, isRevoking: true)
        await run {
            if item.isCurrent { try await self.client.logout() } else { try await self.end(id) }
            self.content.items.removeAll { $0.id == id }
            self.content.total -= 1
            self.content.fetched -= 1
        }
        mark(id, isRevoking: false)
    }

    /// Revokes all sessions except that of this device, and loads the list again.
    public func revokeOthers() async {
        await run {
            try await self.client.revokeSessions(.others)
            try await self.fetch(from: 0)
        }
    }

    /// Runs one call at a time and shows its error.
    private func run(_ work: @MainActor () async throws -> Void) async {
        guard !content.isBusy else { return }
        content.isBusy = true
        content.message = nil
        do {
            try await work()
        } catch {
            content.message = .shown(for: error, in: .session)
        }
        content.isBusy = false
    }

    private func fetch(from offset: Int) async throws {
        let page = try await client.listSessions(ListSessionsOptions(limit: pageSize, offset: offset))
        let currentID = await client.sessionID
        var items = offset == 0 ? [] : content.items
        let known = Set(items.map(\.id))
        // A session that was used meanwhile is on two pages.
        items += page.sessions.filter { !known.contains($0.id) }.map { Item($0, currentID: currentID) }
        content.items = items.filter(\.isCurrent) + items.filter { !$0.isCurrent }
        content.total = page.total
        content.fetched = offset + page.sessions.count
        content.phase = .loaded
    }

    /// Revokes a session of another device. If it does not exist any more, that is a success.
    private func end(_ id: String) async throws {
        do {
            try await client.revokeSessions(.session(id: id))
        } catch PreludeSessionError.notFound {}
    }

    private func mark(_ id: String, isRevoking: Bool) {
        guard let index = content.items.firstIndex(where: { $0.id == id }) else { return }
        content.items[index].isRevoking = isRevoking
    }
}

extension SessionListModel {
    /// A session of the user in a list.
    public struct Item: Sendable, Hashable, Identifiable {
        /// The session.
        public let session: PreludeSessionView
        /// Whether it is the session of this device.
        public let isCurrent: Bool
        /// Whether it is being revoked.
        public fileprivate(set) var isRevoking = false

        fileprivate init(_ session: PreludeSessionView, currentID: String?) {
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
