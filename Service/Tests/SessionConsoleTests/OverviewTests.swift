import PreludeSessionTesting
import Testing

@testable import SessionConsole
@testable import SessionDomain

@Suite("Overviews of apps")
struct OverviewTests {
    @Test("Many apps are shown in parts")
    func parts() async throws {
        let world = try await ConsoleWorld()
        for number in 1...Part.size { _ = try await world.service.apps.create(id: nil, name: "Shop \(number)") }
        var (browser, _) = try await world.operatorBrowser()
        let (first, second) = (try await browser.get("/console"), try await browser.get("/console/apps?offset=25"))
        #expect(first.text.contains("1 to 25 of 26 apps") && second.text.contains("26 to 26 of 26 apps"))
        #expect(first.text.matches(of: /<th scope="row"/).count == 25)
        #expect(second.text.matches(of: /<th scope="row"/).count == 1)
    }

    @Test("The number of users is exact up to a bound, and counted further on request only")
    func figures() async throws {
        let few = UserCounts([.active: 3, .suspended: 2])
        #expect(UserFigures.total(few) == "5" && UserFigures.suspended(few) == "2")
        let many = UserCounts([.active: 9999, .suspended: 1])
        #expect(UserFigures.total(many) == "10000 or more")
        #expect(UserFigures.suspended(many) == "1 of the newest 10000")
        #expect(UserFigures.total(UserCounts([.active: 9999])) == "9999")
    }

    @Test("An overview shows the users of an app by status")
    func app() async throws {
        let world = try await ConsoleWorld()
        for name in ["ada", "bob", "eve"] {
            let user = try await world.service.users.create(
                app: world.world.appID,
                identifiers: [CanonicalIdentifier(type: "email_address", value: "\(name)@example.com")])
            if name == "eve" {
                _ = try await world.service.users.setStatus(.suspended, user: user.id, app: world.world.appID)
            }
        }
        var (browser, _) = try await world.operatorBrowser()
        let text = try await browser.get(ConsoleWorld.app).text
        for figure in ["Active users</dt><dd>2<", "Inactive users</dt><dd>0<", "Suspended users</dt><dd>1<"] {
            #expect(text.contains(figure))
        }
        #expect(try await browser.get("/console").text.contains(/data-label="Users">3<.+data-label="Suspended">1</))
    }
}
