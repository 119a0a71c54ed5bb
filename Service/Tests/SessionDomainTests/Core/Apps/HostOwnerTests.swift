import Testing

@testable import SessionDomain

@Suite("Owners of hosts")
struct HostOwnerTests {
    @Test(
        "The service's own name identifies the app of a host, and no app for other hosts",
        arguments: [
            ("https://{app_id}.session.example.com", "abc1234.session.example.com", "abc1234"),
            ("https://auth-{app_id}.example.com:8443", "auth-abc1234.example.com", "abc1234"),
            ("https://{app_id}.session.example.com", "abc123.session.example.com", nil),
            ("https://{app_id}.session.example.com", "www.abc1234.session.example.com", nil),
            ("https://{app_id}.session.example.com", "abc1234.session.example.org", nil),
            ("https://{app_id}.session.example.com", "session.example.com", nil),
        ])
    func template(publicURL: String, host: String, app: String?) throws {
        let owner = try PublicOrigins(publicURL: publicURL).owner(ofHost: host)
        #expect(owner == app.flatMap { AppID($0) }.map(PublicOrigins.Owner.app))
    }

    @Test(
        "A certificate is for the public URL if one of its names is the host of an app (RFC 9525 §6.3)",
        arguments: [
            ("https://session.example.com", ["session.example.com"], true),
            ("https://session.example.com:8443", ["other.example.com", "Session.Example.com"], true),
            ("https://session.example.com", ["*.example.com"], true),
            ("https://session.example.com", ["*.session.example.com", "example.com"], false),
            ("https://a.session.example.com", ["*.example.com"], false),
            ("https://session.example.com", [], false),
            ("https://{app_id}.example.com", ["*.example.com"], true),
            ("https://{app_id}.example.com", ["abc1234.example.com"], true),
            ("https://{app_id}.example.com", ["example.com", "www.example.com", "*.com"], false),
            ("https://auth-{app_id}.example.com", ["*.example.com"], true),
            ("https://{app_id}.session.example.com", ["*.example.com"], false),
            ("https://192.0.2.1", ["192.0.2.1"], true), ("https://192.0.2.1", ["192.0.2.2"], false),
            ("https://[2001:db8::1]", ["[2001:db8::1]"], true),
        ])
    func certificates(publicURL: String, names: [String], isNamed: Bool) throws {
        #expect(try PublicOrigins(publicURL: publicURL).areNamed(in: names) == isNamed)
    }

    @Test("A fixed name belongs to the default app")
    func fixed() throws {
        let origins = try PublicOrigins(publicURL: "https://session.example.com")
        #expect(origins.owner(ofHost: "session.example.com") == .defaultApp)
        #expect(origins.owner(ofHost: "other.example.com") == nil)
    }

    @Test(
        "A public URL that no client could reach is rejected",
        arguments: [
            ("https://{appid}.session.example.com", "contains {appid}. Write {app_id} where the id of an app stands"),
            ("https://{APP_ID}.session.example.com", "contains {APP_ID}. Write {app_id} where the id of an app stands"),
            ("https://*.session.example.com", "contains *. Write {app_id} where the id of an app stands"),
            ("https://<app_id>.session.example.com", "contains <. Write {app_id} where the id of an app stands"),
            ("https://$APP.session.example.com", "contains $. Write {app_id} where the id of an app stands"),
            ("https://{app_id.session.example.com", "contains {. Write {app_id} where the id of an app stands"),
            ("https://{app_id}.{app_id}.example.com", "must contain {app_id} once only"),
            ("https://{app_id}", "needs a domain behind {app_id}, as in https://{app_id}.example.com"),
            ("https://a..example.com", "contains a host name with an empty label"),
            ("https://{app_id}..example.com", "contains a host name with an empty label"),
            ("https://example.com.", "contains a host name with an empty label"),
        ])
    func placeholder(publicURL: String, problem: String) {
        #expect(throws: Refusal.invalidField("public-url", problem)) { try PublicOrigins(publicURL: publicURL) }
    }

    @Test("The own host of the default app is known while the service has one")
    func defaultApp() throws {
        for app in [try appID(), nil] {
            let directory = AppDirectory(
                store: KeyStore(apps: [], keys: try TestApp.signingKeys.get()), keys: TestApp.keys,
                origins: try PublicOrigins(publicURL: "https://session.example.com"), defaultApp: app,
                keyRotation: TestApp.keyRotation, environment: stillEnvironment)
            #expect(directory.app(ofOwnHost: "session.example.com") == app)
            #expect(directory.app(ofOwnHost: "login.example.com") == nil)
        }
    }

    @Test("An app cannot take another app's host as its custom domain")
    func takenHost() async throws {
        var other = App(id: try appID("other00"), name: "other", createdAt: now)
        other.domains = ["domain1.session.example.com", "other.example.com"]
        let store = KeyStore(
            apps: [other, App(id: try appID(), name: "owner", createdAt: now)],
            keys: try TestApp.signingKeys.get())
        let directory = AppDirectory(
            store: store, keys: TestApp.keys,
            origins: try PublicOrigins(publicURL: "https://{app_id}.session.example.com"), defaultApp: nil,
            keyRotation: TestApp.keyRotation, environment: stillEnvironment)
        #expect(try await directory.app(host: "domain1.session.example.com").settings.name == "owner")
    }
}
