import HTTPTypes
import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Country header")
struct CountryHeaderTests {
    @Test(
        "A country is two letters and is converted to upper case",
        arguments: [
            ("DE", "DE"), ("de", "DE"), ("dE", "DE"), ("XX", "XX"), ("", ""), ("D", ""), ("DEU", ""), ("D1", ""),
            ("D ", ""), ("ÖS", ""), ("ß", ""), ("--", ""),
        ])
    func format(value: String, country: String) throws {
        let client = try Client.test(.of(("cf-ipcountry", value)), countryHeader: HTTPField.Name("cf-ipcountry"))
        #expect(client.device.countryCode == country)
        #expect(client.facts.countryCode == country)
    }

    @Test("The country of a client that is not behind a trusted proxy is unknown")
    func direct() throws {
        let client = try Client.test(
            .of(("cf-ipcountry", "DE")), peer: "203.0.113.9", countryHeader: HTTPField.Name("cf-ipcountry"))
        #expect(client.device.countryCode.isEmpty && client.facts.countryCode.isEmpty)
    }

    @Test("No header sets the country if the operator configured none")
    func notConfigured() throws {
        let client = try Client.test(.of(("cf-ipcountry", "DE"), ("x-country", "DE")))
        #expect(client.device.countryCode.isEmpty)
    }

    @Test("Only the configured header sets the country")
    func other() throws {
        let client = try Client.test(.of(("x-country", "DE")), countryHeader: HTTPField.Name("cf-ipcountry"))
        #expect(client.device.countryCode.isEmpty)
    }
}
