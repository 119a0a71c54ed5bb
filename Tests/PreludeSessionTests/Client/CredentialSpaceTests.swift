import Foundation
import Testing

@testable import PreludeSession

@Suite("Credential spaces")
struct CredentialSpaceTests {
    // Proves: E11
    @Test("Without a space, records keep the names of earlier versions; a space adds its name to the endpoint")
    func names() throws {
        #expect(try CredentialSpace.suffix(nil) == "")
        #expect(try CredentialSpace.suffix("work") == "+work")
        #expect(
            RecordName.session.storageName(endpoint: "localhost:8080" + (try CredentialSpace.suffix("work")))
                == "localhost:8080+work.session")
    }

    @Test(
        "Invalid names are rejected",
        arguments: ["", "Work", "a.b", "a/b", "a+b", "ä", String(repeating: "a", count: 65)])
    func invalid(name: String) async throws {
        var configuration = PreludeSessionClient.Configuration()
        configuration.credentialSpace = name
        let thrown = try await failure { _ = try PreludeSessionClient(configuration: configuration) }
        #expect(thrown == "invalidConfiguration")
    }

    @Test(
        "Letters, digits, - and _ are valid, up to 64",
        arguments: ["a", "usr_01m80b1q", "0-9", String(repeating: "z", count: 64)])
    func valid(name: String) throws {
        #expect(try CredentialSpace.suffix(name) == "+" + name)
    }

    @Test("A file of a space is not the file of a host override with the same name")
    func files() {
        #expect(FileName.record("localhost+work.session") == "localhost+work.session")
        #expect(FileName.record("localhost_work.session") == "localhost%5Fwork.session")
    }
}
