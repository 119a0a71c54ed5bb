import Foundation
import HTTPTypes
import Hummingbird
import PreludeSessionTesting
import SessionDomain
import SessionHTTP

@testable import SessionConsole

/// A service with one app and the console, called through its router without a network.
struct ConsoleWorld: Sendable {
    static let app = "/console/apps/testapp"

    let world: ServiceWorld
    let router: InProcessRouter
    /// What the graphs show.
    let activity: ActivityRecorder
    /// All routes of the console.
    let routes: [(method: HTTPRequest.Method, path: String)]

    var service: SessionService { world.service }
    var clock: TestService.Clock { world.clock }

    init(configuredKeys: [String] = []) async throws {
        try await self.init(
            ServiceWorld(
                clock: TestService.Clock(), origin: "https://session.test", edge: EdgeOptions(),
                configuredKeys: configuredKeys,
                configure: { _ in }))
    }

    private init(_ world: ServiceWorld) {
        self.world = world
        let router = buildRouter(service: world.service, edge: EdgeOptions())
        activity = ActivityRecorder(node: "node-<1>", startedAt: world.clock.timestamp)
        Console(service: world.service, edge: EdgeOptions(), mailbox: world.mailbox, activity: activity).add(to: router)
        routes = router.routes.map { ($0.method, $0.path.description) }.filter { $0.1.hasPrefix("/console") }
        self.router = InProcessRouter(service: world.service, router: router)
    }

    /// Another node on the same database.
    func node(_ change: (inout ServiceEnvironment) -> Void = { _ in }) -> ConsoleWorld {
        ConsoleWorld(world.node(change))
    }

    /// A browser that has signed in with a new key.
    func operatorBrowser(
        app: AppID? = nil, role: ManagementKey.Role = .write, name: String = "Grace", host: String = "console.test"
    ) async throws -> (browser: Browser, key: ManagementKey) {
        let (key, secret) = try await service.managementKeys.create(name: name, app: app, role: role)
        var browser = Browser(world: self, host: host)
        let answer = try await browser.signIn(secret)
        guard answer.status == 303 else { throw NotSignedIn(status: answer.status) }
        return (browser, key)
    }

    struct NotSignedIn: Error { let status: Int }

    /// The app as it is stored.
    func settings() async throws -> App { try await service.apps.app(world.appID) }

    /// The events of the app, of the service and of the operator app, newest first in each.
    func events() async throws -> [Event] {
        guard let app = AppID("testapp") else { return [] }
        return try await service.store.events(app: app, limit: 100, offset: 0)
            + service.store.events(app: .service, limit: 100, offset: 0)
            + service.store.events(app: .operators, limit: 100, offset: 0)
    }
}

/// A browser: it keeps the cookie, and sends the headers of a form on the same page.
struct Browser: Sendable {
    var world: ConsoleWorld
    var host: String
    var cookie: String?
    /// The cookie of a browser in which an operator has signed in before.
    var device: String?
    var origin: String?
    var site: String? = "same-origin"

    init(world: ConsoleWorld, host: String) {
        self.world = world
        self.host = host
        origin = "https://" + host
    }

    struct Answer {
        let head: HTTPResponse
        let text: String

        var status: Int { head.status.code }
        var location: String? { head.headerFields[.location] }
        /// The header that stores or deletes the cookie of the session.
        var cookie: String? { stored { !$0.contains("_device=") } }
        /// The header that stores the cookie of a known browser.
        var device: String? { stored { $0.contains("_device=") } }

        private func stored(where isWanted: (String) -> Bool) -> String? {
            head.headerFields[values: .setCookie].first(where: isWanted)
        }

        /// The token of the forms of this page.
        var token: String? {
            text.firstMatch(of: /name="form_token" value="([A-Za-z0-9_-]+)"/).map { String($0.1) }
        }
    }

    @discardableResult
    mutating func signIn(_ secret: String, more: String = "") async throws -> Answer {
        try await post("/console/sign-in", "key=\(secret)\(more)", addingToken: false)
    }

    mutating func get(_ path: String) async throws -> Answer { try await send(.get, path, nil) }

    /// Sends a form, with the token of this session.
    mutating func post(_ path: String, _ form: String = "", addingToken: Bool = true) async throws -> Answer {
        var form = form
        if addingToken {
            let token = try await get("/console").token ?? ""
            form += (form.isEmpty ? "" : "&") + "form_token=" + token
        }
        return try await send(.post, path, form)
    }

    /// Sends the form of a page with the version that the page has seen.
    mutating func change(_ path: String, _ form: String = "") async throws -> Answer {
        let version = try await get(path).value("version") ?? ""
        return try await post(path, "version=\(version)&" + form)
    }

    mutating func send(_ method: HTTPRequest.Method, _ path: String, _ form: String?) async throws -> Answer {
        var headers: HTTPFields = [:]
        let cookies = [cookie, device].compactMap(\.self)
        if !cookies.isEmpty { headers[.cookie] = cookies.joined(separator: "; ") }
        if form != nil {
            headers[.contentType] = "application/x-www-form-urlencoded"
            if let origin { headers[.origin] = origin }
        }
        if let site, let name = HTTPField.Name("Sec-Fetch-Site") { headers[name] = site }
        let (head, body) = try await world.router.respond(
            to: HTTPRequest(method: method, scheme: "https", authority: host, path: path, headerFields: headers),
            body: form.map { Data($0.utf8) }, peerAddress: "192.0.2.1")
        let answer = Answer(head: head, text: String(decoding: body, as: UTF8.self))
        if let set = answer.cookie {
            cookie = set.contains("Max-Age=0") ? nil : set.split(separator: ";").first.map { String($0) }
        }
        if let set = answer.device { device = set.split(separator: ";").first.map { String($0) } }
        return answer
    }
}
