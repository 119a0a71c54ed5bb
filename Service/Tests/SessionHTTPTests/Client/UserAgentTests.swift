import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("User-Agent")
struct UserAgentTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let agent: String
        let device: [String]
        let platform: String
        var testDescription: String { agent }

        /// - Parameter device: Model, type and version of the operating system.
        init(_ agent: String, _ device: [String], _ platform: String) {
            self.agent = agent
            self.device = device
            self.platform = platform
        }
    }

    private static let nothing = ["", "unknown", ""]

    static let sdks = [
        Row("Prelude/1.0 (Apple; iOS 17.4.0)", ["Apple", "mobile", "iOS 17.4.0"], "ios"),
        Row("Prelude/1.0 (iPhone15,2; ios 17.4)", ["iPhone15,2", "mobile", "ios 17.4"], "ios"),
        Row("Prelude/1.0 (Apple; iPadOS 17.4)", ["Apple", "tablet", "iPadOS 17.4"], "ios"),
        Row("Prelude/1.0 (Apple; watchOS 10)", ["Apple", "mobile", "watchOS 10"], "ios"),
        Row("Prelude/1.0 (Apple; visionOS 1.1)", ["Apple", "mobile", "visionOS 1.1"], "ios"),
        Row("Prelude/1.0 (Apple; tvOS 17)", ["Apple", "unknown", "tvOS 17"], "ios"),
        Row("Prelude/1.0 (Apple; macOS 15.0)", ["Apple", "desktop", "macOS 15.0"], "macos"),
        Row("Prelude/1.0 (Google Pixel 8; Android 14)", ["Google Pixel 8", "mobile", "Android 14"], "android"),
        Row("Prelude/1.0 (PC; Windows 11)", ["PC", "desktop", "Windows 11"], "windows"),
        Row("Prelude/1.0 (Linux; )", ["Linux", "desktop", ""], "linux"),
        Row("Prelude/1.0 (Linux)", ["Linux", "desktop", ""], "linux"),
        Row("Prelude/1.0 (X1; Linux 6.8)", ["X1", "desktop", "Linux 6.8"], "linux"),
        Row("Prelude/1.0 (Apple; iOS 17; more; parts)", ["Apple", "mobile", "iOS 17"], "ios"),
        Row("Prelude/1.0 (A (B); iOS 17)", ["A (B)", "mobile", "iOS 17"], "ios"),
        Row("Prelude/1.0 (Fridge; FridgeOS 2)", ["Fridge", "unknown", "FridgeOS 2"], "unknown"),
        Row("Prelude/1.0 ()", nothing, "unknown"),
        Row("Prelude/1.0 )(", nothing, "unknown"),
        Row("Prelude/1.0 (Apple; iOS 17", nothing, "unknown"),
        Row("Prelude/1.0", nothing, "unknown"),
        Row("prelude/1.0 (Apple; iOS 17)", nothing, "unknown"),
        Row("App/2.0 Prelude/1.0 (Apple; iOS 17)", nothing, "unknown"),
    ]

    static let browsers = [
        Row(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 Version/17.4.1 Mobile Safari",
            ["iPhone", "mobile", "17.4.1"], "unknown"),
        Row(
            "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 Version/16.6 Mobile/15E148 Safari",
            ["iPad", "tablet", "16.6"], "unknown"),
        Row(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.4 Safari/605.1.15",
            ["Mac", "desktop", "10.15.7"], "unknown"),
        Row(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/123.0.0.0 Safari/537.36",
            ["Windows PC", "desktop", "10.0"], "unknown"),
        Row(
            "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/123.0.0.0 Mobile Safari/537.36",
            ["Android", "mobile", "14"], "unknown"),
        Row(
            "Mozilla/5.0 (Linux; Android 13; SM-X900) AppleWebKit/537.36 Chrome/123.0.0.0 Safari/537.36",
            ["Android", "tablet", "13"], "unknown"),
        Row(
            "Mozilla/5.0 (X11; Linux x86_64; rv:124.0) Gecko/20100101 Firefox/124.0", ["Linux", "desktop", ""], "linux"),
        Row("okhttp/4.12.0", ["Android", "mobile", "Android"], "android"),
        Row("curl/8.5.0", nothing, "unknown"),
        Row("", nothing, "unknown"),
        Row("Android 123456789012345678", ["Android", "tablet", "1234567890123456"], "unknown"),
    ]

    @Test("Agents of the Prelude SDKs show model, type and system", arguments: sdks)
    func sdk(_ row: Row) { expect(row) }

    @Test("Common browsers show model, type and system", arguments: browsers)
    func browser(_ row: Row) { expect(row) }

    private func expect(_ row: Row) {
        let device = Device(userAgent: row.agent)
        #expect([device.model, device.type, device.osVersion] == row.device)
        #expect(device.platform == row.platform)
        for _ in 0..<2 {
            let agent = RepeatedHeaders.agent(row.agent)
            #expect(agent.device == device && agent.platform == row.platform && agent.text == row.agent)
        }
    }

    @Test("Each property has at most 64 characters")
    func longProperties() {
        let device = Device(
            userAgent: "Prelude/1.0 (\(String(repeating: "m", count: 65)); \(String(repeating: "o", count: 65)))")
        #expect(device.model == String(repeating: "m", count: 64))
        #expect(device.osVersion == String(repeating: "o", count: 64))
    }

    @Test("At most 512 characters are read")
    func longAgent() {
        let agent = "Mozilla/5.0 " + String(repeating: "a", count: 500)
        #expect(Device(userAgent: agent + " iPhone").model.isEmpty)
    }

    @Test("Control characters and non-ASCII characters are removed")
    func unprintable() {
        let device = Device(userAgent: "Prelude/1.0 (App\u{1B}le\u{202E}; iOS\u{0} 17é)")
        #expect(device.model == "Apple")
        #expect(device.osVersion == "iOS 17")
    }

    @Test("Agents that are equal as texts and have other bytes are not mixed up")
    func equalTexts() {
        let (composed, decomposed) = ("Prelude/1.0 (\u{E9}; iOS 17)", "Prelude/1.0 (e\u{301}; iOS 17)")
        #expect(composed == decomposed)
        #expect(RepeatedHeaders.agent(composed).device.model == "iOS 17")
        #expect(RepeatedHeaders.agent(decomposed).device.model == "e")
        #expect(RepeatedHeaders.agent(composed).device.model == "iOS 17")
    }
}
