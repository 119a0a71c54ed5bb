import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

@testable import SessionConsole

@Suite("Profile values in the console")
struct ProfileFormTests {
    private static let profile: [String: JSONValue] = [
        "newsletter": .bool(true), "level": .int(3), "plan": "gold", "address": .object(["city": "Paris"]),
    ]

    private func saved(_ form: String) async throws -> (answer: Browser.Answer, profile: [String: JSONValue]) {
        let world = try await ConsoleWorld()
        let user = try await world.service.users.create(
            app: world.world.appID, identifiers: [CanonicalIdentifier(type: "email_address", value: "ada@example.com")],
            profile: Self.profile)
        var (browser, _) = try await world.operatorBrowser()
        let answer = try await browser.post(ConsoleWorld.app + "/users/\(user.id)/profile", form)
        return (answer, try await world.service.users.user(user.id, app: world.world.appID).profile)
    }

    @Test(
        "A value that replaces another one keeps its type unless the operator chooses another one",
        arguments: [
            ("key=newsletter&value=false", "newsletter", .bool(false)),
            ("key=newsletter&kind=stored&value=false", "newsletter", .bool(false)),
            ("key=newsletter&kind=text&value=false", "newsletter", "false"),
            ("key=level&kind=stored&value=4", "level", .int(4)),
            ("key=address&kind=stored&value=%7B%22city%22%3A%22Lyon%22%7D", "address", .object(["city": "Lyon"])),
            ("key=plan&kind=stored&value=4", "plan", "4"), ("key=plan&kind=json&value=4", "plan", .int(4)),
            ("key=new&kind=stored&value=true", "new", "true"), ("key=new&kind=json&value=true", "new", .bool(true)),
            ("key=new&kind=json&value=%5B1%2C2%5D", "new", .array([.int(1), .int(2)])),
            ("key=level&kind=stored&value=", "level", nil),
        ] as [(String, String, JSONValue?)])
    func kinds(form: String, key: String, value: JSONValue?) async throws {
        let (answer, profile) = try await saved(form)
        #expect(answer.status == 303, "\(answer.text)")
        #expect(profile[key] == value)
        #expect(profile.filter { $0.key != key } == Self.profile.filter { $0.key != key })
    }

    @Test(
        "A value that is not JSON is refused at its field",
        arguments: ["key=newsletter&kind=stored&value=no", "key=new&kind=json&value=%7B"])
    func invalid(form: String) async throws {
        let (answer, profile) = try await saved(form)
        #expect(answer.status == 400 && answer.text.contains("Value must be JSON, such as 3, true or [1, 2]."))
        #expect(profile == Self.profile)
    }

    @Test(
        "A value of another type, and null, are refused at the field",
        arguments: [
            "key=level&kind=stored&value=%22x%22", "key=level&kind=stored&value=true",
            "key=newsletter&kind=stored&value=1", "key=address&kind=stored&value=%5B%5D",
            "key=newsletter&kind=stored&value=null", "key=newsletter&kind=json&value=null",
        ])
    func otherType(form: String) async throws {
        let (answer, profile) = try await saved(form)
        #expect(answer.status == 400 && answer.text.contains("Value must "))
        #expect(profile == Self.profile)
    }
}
