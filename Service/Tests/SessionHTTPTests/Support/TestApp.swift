import SessionDomain
import Testing

/// The app of the tests, and its settings.
enum TestApp {
    static func id() throws -> AppID { try #require(AppID("testapp")) }

    static func settings(_ configure: (inout App) -> Void = { _ in }) throws -> App {
        var app = App(id: try id(), name: "Test", createdAt: Timestamp(seconds: 1_750_000_000))
        configure(&app)
        return app
    }
}
