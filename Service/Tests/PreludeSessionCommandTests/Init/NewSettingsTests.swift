import Testing

@testable import prelude_session

@Suite("The settings file of a new service")
struct NewSettingsTests {
    private static let plain = NewSettings(
        publicURL: "https://{app_id}.example.com", database: "/var/lib/prelude/session.sqlite", host: "127.0.0.1",
        port: "8080", trustedProxies: ["127.0.0.1", "::1"])

    private func values(_ settings: NewSettings) throws -> [String: SettingsFile.Value] {
        let file = try SettingsFile(try settings.text(path: "/etc/prelude/session.json"))
        return Dictionary(uniqueKeysWithValues: file.members.map { ($0.name, $0.value) })
    }

    @Test("Without delivery, mail and SMS are examples in comments")
    func plain() throws {
        #expect(
            try values(Self.plain) == [
                "publicUrl": .text("https://{app_id}.example.com"),
                "database": .text("sqlite:/var/lib/prelude/session.sqlite"), "host": .text("127.0.0.1"),
                "port": .text("8080"), "trustedProxies": .list(["127.0.0.1", "::1"]),
            ])
        let text = try Self.plain.text(path: "/etc/prelude/session.json")
        #expect(text.contains("\n    // \"emailHost\": \"smtp.example.com\",\n"))
        #expect(text.hasPrefix("// Settings of prelude-session."))
        #expect(!text.contains("\n\n\n"))
    }

    @Test("Every answer is in the file, whatever characters it has")
    func complete() throws {
        var settings = Self.plain
        settings.publicURL = "https://auth.example.com"
        settings.defaultApp = "abc1234"
        settings.mail = [
            (.emailHost, "smtp.example.com"), (.emailPort, "587"), (.emailFrom, "\"A\\B\" <a@example.com>"),
        ]
        settings.egressNetworks = ["10.1.2.3", "fd00::/8"]
        settings.sms = [(.smsRoute, "twilio"), (.smsFrom, "// +15550100")]
        let values = try values(settings)
        #expect(values["defaultApp"] == .text("abc1234"))
        #expect(values["emailPort"] == .text("587"))
        #expect(values["emailFrom"] == .text("\"A\\B\" <a@example.com>"))
        #expect(values["smsFrom"] == .text("// +15550100"))
        #expect(values["egressNetworks"] == .list(["10.1.2.3", "fd00::/8"]))
        #expect(values.count == 12)
        #expect(!(try settings.text(path: "x").contains("\n\n\n")))
    }

    @Test("The settings that are checked as flags are those of the file, without the app that does not exist yet")
    func flags() throws {
        var settings = Self.plain
        settings.defaultApp = "abc1234"
        settings.egressNetworks = ["10.1.2.3", "fd00::/8"]
        settings.mail = [(.emailRoute, "smtp"), (.emailPort, "587")]
        var values = try values(settings).mapValues { value in
            switch value {
            case .text(let text): text
            case .list(let items): items.joined(separator: ",")
            case .other: ""
            }
        }
        #expect(values.removeValue(forKey: "defaultApp") == "abc1234")
        #expect(values == Dictionary(uniqueKeysWithValues: settings.flags.map { ($0.key.rawValue, $0.value) }))
    }
}
