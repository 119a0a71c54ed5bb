import HTTPTypes
import SessionDomain
import Testing

@Suite("Management keys at the edge")
struct ManagementKeyTests {
    @Test(
        "A key of one app is valid for this app only, and reveals no other app",
        arguments: [
            ("/v2/session/apps/testapp", 200), ("/v2/session/apps/another", 401), ("/v2/session/apps/absent7", 401),
            ("/v2/session/apps/TESTAPP", 401), ("/v2/session/apps", 401),
        ])
    func keyOfOneApp(path: String, status: Int) async throws {
        let world = try await EdgeWorld()
        let another = try #require(AppID("another"))
        _ = try await world.service.apps.create(id: another, name: "Another") { _ in }
        let headers = try await world.operatorHeaders(app: try TestApp.id())
        #expect(try await world.call(.get, path, headers).status == status)
    }

    @Test(
        "A key of all apps is valid for every app, and an unknown app is 404",
        arguments: [
            ("/v2/session/apps", 200), ("/v2/session/apps/testapp", 200), ("/v2/session/apps/absent7", 404),
            ("/v2/session/apps/no-id", 404),
        ])
    func keyOfAllApps(path: String, status: Int) async throws {
        let world = try await EdgeWorld.shared.value
        #expect(try await world.call(.get, path, try await world.operatorHeaders()).status == status)
    }

    @Test("A key of one app cannot create apps")
    func create() async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders(app: try TestApp.id())
        #expect(try await world.call(.post, "/v2/session/apps", headers, json: #"{"name":"New"}"#).status == 401)
        let all = try await world.operatorHeaders()
        #expect(try await world.call(.post, "/v2/session/apps", all, json: #"{"name":"New"}"#).status == 201)
    }

    @Test("Only a key of all apps may set domains", arguments: [true, false])
    func domains(isForAllApps: Bool) async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders(app: isForAllApps ? nil : try TestApp.id())
        let response = try await world.call(
            .patch, "/v2/session/apps/testapp", headers, json: #"{"domains":["login.customer.example"]}"#)
        #expect(response.status == (isForAllApps ? 200 : 403))
    }

    @Test("A management key is accepted with the scheme Bearer only")
    func scheme() async throws {
        let world = try await EdgeWorld()
        let secret = try await world.service.managementKeys.create(name: "test", app: nil).secret
        for value in ["DPoP " + secret, secret, "Basic " + secret] {
            #expect(try await world.call(.get, "/v2/session/apps", [.authorization: value]).status == 401)
        }
    }

    @Test("A management key gives no access to calls of signed-in users")
    func frontend() async throws {
        let world = try await EdgeWorld()
        let response = try await world.call(.get, "/v1/session/me/list", try await world.operatorHeaders())
        #expect(response.status == 401)
    }
}
