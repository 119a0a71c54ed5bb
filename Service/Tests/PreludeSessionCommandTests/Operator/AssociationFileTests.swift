import Foundation
import SessionDomain
import Testing

@testable import prelude_session

@Suite("The files that name the apps of an RP ID")
struct AssociationFileTests {
    /// Answers each call alike.
    private struct OneAnswer: Egress {
        let result: Result<EgressAnswer, EgressError>

        func send(_ request: EgressRequest) async throws(EgressError) -> EgressAnswer { try result.get() }
        func validate(url: String) throws(EgressError) {}
    }

    private static let fingerprint = Array(repeating: "0A", count: 32).joined(separator: ":")
    private static let appID = "A1B2C3D4E5.com.example.app"

    private static func files(
        apple: [String] = [appID], android: [String] = ["com.example.app " + fingerprint]
    ) throws -> [AssociationFile] {
        var app = App(id: try #require(AppID("abc1234")), name: "Shop", createdAt: Timestamp(seconds: 0))
        var config = PasskeyConfig()
        config.relyingPartyID = "example.com"
        (config.iosAppIDs, config.androidApps) = (apple, android)
        app.passkeys = config
        return AssociationFile.files(of: app)
    }

    private static func warnings(
        _ file: AssociationFile, _ body: String, status: Int = 200, type: String? = "application/json"
    ) -> [String] {
        file.warnings(of: EgressAnswer(status: status, body: Data(body.utf8), contentType: type))
    }

    @Test("Only a file with apps in the settings is fetched")
    func files() throws {
        let names = ["apple-app-site-association", "assetlinks.json"].map { "https://example.com/.well-known/" + $0 }
        #expect(try Self.files().map(\.url) == names)
        #expect(try Self.files(apple: []).map(\.url) == [names[1]])
        #expect(try Self.files(android: []).map(\.url) == [names[0]])
        let app = App(id: try #require(AppID("abc1234")), name: "Shop", createdAt: Timestamp(seconds: 0))
        #expect(AssociationFile.files(of: app).isEmpty)
    }

    @Test("A file that names all apps has no warning, whatever else it has")
    func complete() throws {
        let files = try Self.files()
        let apple = #"{"applinks": {}, "webcredentials": {"apps": ["A1B2C3D4E5.com.other", "\#(Self.appID)"]}}"#
        #expect(Self.warnings(files[0], apple).isEmpty)
        let links = """
            [{"relation": ["x"], "target": {"namespace": "web", "site": "https://example.com"}},
             {"relation": ["delegate_permission/common.get_login_creds"], "target": {"namespace": "android_app",
              "package_name": "com.example.app", "sha256_cert_fingerprints": ["\(Self.fingerprint.lowercased())"]}}]
            """
        #expect(Self.warnings(files[1], links).isEmpty)
        let other = links.replacing("get_login_creds", with: "handle_all_urls")
        #expect(Self.warnings(files[1], other).count == 1, "an app that may only open links")
    }

    @Test("A file without an app names the app")
    func missing() throws {
        let files = try Self.files()
        #expect(Self.warnings(files[0], "{}") == ["does not name the app \(Self.appID): add it to the file"])
        #expect(Self.warnings(files[1], "[]").first?.contains("com.example.app \(Self.fingerprint)") == true)
    }

    @Test(
        "A file that cannot be used says why",
        arguments: [
            (301, "", "redirects (status 301)"), (404, "", "has the status 404"), (200, "<html>", "is not JSON"),
        ])
    func unusable(status: Int, body: String, text: String) throws {
        for file in try Self.files() {
            let warnings = Self.warnings(file, body, status: status)
            #expect(warnings.count == 1 && warnings[0].hasPrefix(text), "\(warnings)")
        }
    }

    @Test("Another content type is a warning")
    func contentType() throws {
        let file = try Self.files()[0]
        let body = #"{"webcredentials": {"apps": ["\#(Self.appID)"]}}"#
        #expect(Self.warnings(file, body, type: "Application/JSON; charset=utf-8").isEmpty)
        for type in ["text/plain", nil] {
            #expect(Self.warnings(file, body, type: type).first?.hasPrefix("has the content type") == true)
        }
    }

    @Test("A host that does not answer is a warning")
    func unreachable() async throws {
        let egress = OneAnswer(result: .failure(.timedOut))
        #expect(try await Self.files()[0].warnings(by: egress) == ["is not reachable: no answer in time"])
        let empty = OneAnswer(
            result: .success(EgressAnswer(status: 200, body: Data("{}".utf8), contentType: "application/json")))
        #expect(try await Self.files()[0].warnings(by: empty).count == 1)
    }
}
