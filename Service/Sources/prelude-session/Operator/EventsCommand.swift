import ArgumentParser
import Foundation
import SessionDomain
import SessionTokens

/// `prelude-session events`: shows the events of apps and of the service.
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Show what happened: logins, sessions, changes by operators, keys.",
        discussion: """
            Prints one line for each event, oldest first: time, app, name, user, actor, address, and what the event says. \
            Events that belong to no app have the app "-". With --json, each line is a JSON object.
            """)

    @Option(help: "The app. (default: all apps, and the service itself)")
    var app: AppID?

    @Option(help: "Only events about this user, usr_….")
    var user: String?

    @Option(help: "Only events that this operator, usr_…, or management key, mk_…, has caused.")
    var actor: String?

    @Option(help: "Only events of this request, req_…, as a response names it in X-Request-Id.")
    var requestID: String?

    @Option(help: "Only events of requests from this IP address, or from a network such as 203.0.113.0/24.")
    var address: String?

    @Option(help: "Only events with this name, such as login.failed, or of a family, such as 'login.*'.")
    var name: String?

    @Option(help: "Only events from this time on: 2026-01-01T12:00:00Z, or a span before now, such as 30m, 24h or 7d.")
    var since: String?

    @Option(help: "Only events before this time, in the same form.")
    var until: String?

    @Option(help: "The number of events to show at most, the newest ones. 1 to 10000.")
    var limit = 100

    @Flag(help: "Continue with new events until the command is stopped.")
    var follow = false

    @OptionGroup var options: DatabaseOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit must be 1 to 10000") }
        guard address == nil || network != nil else {
            throw ValidationError("--address must be an IP address, or a network such as 203.0.113.0/24")
        }
        guard !follow || until == nil else { throw ValidationError("--follow shows new events, so --until has no use") }
    }

    private var network: IPNetwork? { address.flatMap { IPNetwork($0) } }

    func run() async throws {
        let filter = try name.map { try EventQuery.NameFilter($0, field: "--name") }
        try await options.withService { service in
            let now = service.environment.now()
            let query = EventQuery(
                app: app ?? .service, user: user, actor: actor, name: filter,
                from: try time(since, "--since", now: now), until: try time(until, "--until", now: now), limit: limit)
            let apps =
                if let app { [try await service.apps.app(app).id] } else {
                    try await service.apps.apps().map(\.id) + [.service, .operators]
                }
            let origin = EventOrigin(requestID: requestID, network: network)
            var reader = EventReader(store: service.store, query: query, origin: origin, apps: apps)
            try show(try await reader.newest())
            while follow {
                try show(try await reader.next(of: app))
                try await service.environment.sleep(1)
            }
        }
    }

    private func time(_ text: String?, _ option: String, now: Timestamp) throws -> Timestamp? {
        guard let text else { return nil }
        if let time = Timestamp(rfc3339: text) { return time }
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
            (1...100_000).contains(count)
        else { throw ValidationError("\(option) must be a time such as 2026-01-01T12:00:00Z, or a span such as 24h") }
        return now - count * unit
    }

    /// Writes without a buffer, so that a program that reads a pipe gets each event at once.
    private func show(_ events: [Event]) throws {
        for event in events {
            let line =
                options.json
                ? String(decoding: try TokenJSON.encode(AuditedEventBody(event, withAppID: true)), as: UTF8.self)
                    .escapedJSONForTerminal
                : event.line
            FileHandle.standardOutput.write(Data((line + "\n").utf8))
        }
    }
}

/// Reads the newest events of several apps, and then what is added.
private struct EventReader {
    let query: EventQuery
    let origin: EventOrigin
    let apps: [AppID]
    private let store: any EventStore
    private var follower: EventFollower
    private var shown: Set<String> = []

    init(store: any EventStore, query: EventQuery, origin: EventOrigin, apps: [AppID]) {
        self.store = store
        self.query = query
        self.origin = origin
        self.apps = apps
        follower = EventFollower(store)
    }

    /// The newest events that match, oldest first.
    mutating func newest() async throws -> [Event] {
        // Read first, so that an event that is written meanwhile is not missed.
        try await follower.begin()
        var events: [Event] = []
        for app in apps {
            var query = query
            query.app = app
            events += try await origin.newest(query, in: store).reversed()
        }
        // Sorting is stable: events of the same time stay in the order in which they were written.
        let newest = events.sorted { $0.createdAt < $1.createdAt }.suffix(query.limit)
        shown = Set(newest.map(\.id))
        return Array(newest)
    }

    /// The events that match and were added since the last call. They are new, so `from` does not apply: the clock may have
    /// been set back.
    mutating func next(of app: AppID?) async throws -> [Event] {
        var query = query
        query.from = nil
        return try await follower.next(of: app).filter {
            query.matches($0) && origin.matches($0) && !shown.contains($0.id)
        }
    }
}

/// Where an event came from. No index has it, so the events of an app are read one page after the other, until enough match.
private struct EventOrigin {
    let requestID: String?
    let network: IPNetwork?

    func matches(_ event: Event) -> Bool {
        guard requestID == nil || event.context.requestID == requestID else { return false }
        // Addresses are compared, not texts: earlier versions stored what proxies had written.
        guard let network else { return true }
        return event.context.ip.map { network.contains($0) } ?? false
    }

    /// The newest events of a query that match, newest first.
    func newest(_ query: EventQuery, in store: any EventStore) async throws -> [Event] {
        guard requestID != nil || network != nil else { return try await store.events(query) ?? [] }
        var page = query
        page.limit = 500
        var found: [Event] = []
        while found.count < query.limit, let events = try await store.events(page), let last = events.last {
            found += events.filter(matches)
            page.before = last.id
        }
        return Array(found.prefix(query.limit))
    }
}

extension Event {
    /// The event as one line. Characters that a terminal could interpret are escaped.
    var line: String {
        let details = data.filter { $0.key != "user_id" }.sorted { $0.key < $1.key }
            .map { "\($0.key)=\(Self.text($0.value))" }
        let actor = [context.actor?.type.rawValue, context.actor?.name].compactMap { $0 }.joined(separator: ":")
        let columns = [
            createdAt.rfc3339, appID.rawValue,
            name.rawValue + String(repeating: " ", count: max(0, 28 - name.rawValue.count)),
            userID ?? "-", actor.isEmpty ? "-" : actor, context.ip ?? "-",
        ]
        return (columns + details).map(\.escapedForTerminal).joined(separator: "  ")
    }

    private static func text(_ value: JSONValue) -> String {
        if let text = value.stringValue { return text }
        return (try? TokenJSON.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
