import SessionDomain
import Testing

@testable import prelude_session

@Suite("Routes that no login uses")
struct UnusedRoutesTests {
    private let now = Timestamp(seconds: 1_795_341_600)

    private func app(_ channels: OTPLoginConfig.Channel...) throws -> App {
        var app = App(id: try #require(AppID("abc1234")), name: "Shop", createdAt: now)
        app.otpLogins = channels.map { OTPLoginConfig(id: "lcfg_1", channel: $0, isDefault: true, at: now) }
        return app
    }

    @Test("A route is unused if there are apps, and none has a login by its channel")
    func channels() throws {
        let mail = ConfiguredRoutes([.email: [.init(settings: RouteSettings(kind: .smtp), secret: nil)]])
        #expect(UnusedRoutes(of: mail, apps: [try app(.sms), try app()]).channels == [.email])
        #expect(UnusedRoutes(of: mail, apps: [try app(), try app(.email)]).channels.isEmpty)
        #expect(UnusedRoutes(of: mail, apps: []).channels.isEmpty)
        #expect(UnusedRoutes(of: mail, apps: [App(id: .operators, name: "x", createdAt: now)]).channels.isEmpty)
        #expect(UnusedRoutes(of: ConfiguredRoutes(), apps: [try app()]).channels.isEmpty)
        let warning = try #require(UnusedRoutes(of: mail, apps: [try app()]).warnings.first)
        #expect(warning.contains("prelude-session app enable --app ID --email"))
    }
}
