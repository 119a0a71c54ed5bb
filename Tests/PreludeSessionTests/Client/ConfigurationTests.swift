import Foundation
import Testing

@testable import PreludeSession

@Suite("The settings of a client")
struct ConfigurationTests {
    @Test("The initializer of the product pages has the standard settings")
    func standard() async throws {
        let standard = PreludeSessionClient.Configuration()
        #expect(standard.timeout == 10 && standard.earlyRefreshMargin == 30 && standard.credentialStore == nil)
        #expect(standard.endpoint == .default && standard.hostOverride == nil && standard.credentialSpace == nil)
    }

    @Test("An invalid setting is rejected when the client is created")
    func invalid() async throws {
        let changes: [(inout PreludeSessionClient.Configuration) -> Void] = [
            { $0.endpoint = .custom("http://session.example.com") }, { $0.hostOverride = "a b" }, { $0.timeout = 0 },
            { $0.earlyRefreshMargin = .infinity }, { $0.credentialSpace = "A" },
        ]
        for change in changes {
            var configuration = PreludeSessionClient.Configuration()
            configuration.credentialStore = PreludeInMemoryCredentialStore()
            change(&configuration)
            let thrown = try await failure { _ = try PreludeSessionClient(configuration: configuration) }
            #expect(thrown == "invalidConfiguration")
        }
    }

    @Test("A password can be a literal, and no print shows it")
    func literal() {
        let password: RedactedString = "correct horse"
        #expect(password == RedactedString("correct horse") && "\(password)" == "<redacted>")
    }

    private struct Module: Sendable {
        let folder: String
        /// The beginnings of names that say enough.
        let prefixes: [String]
        let others: Set<String>
    }

    private static let modules = [
        // The others are names of the product pages, or of what apps do not have.
        Module(
            folder: "Sources/PreludeSession", prefixes: ["Prelude", "Session", "StepUp"],
            others: [
                "Endpoint", "ListSessionsOptions", "ListSessionsResponse", "LoginWithPasswordOptions", "MigrateOptions",
                "PasskeyCredential", "PasskeyLoginOptions", "PasskeyRegistrationResult", "RedactedString",
                "RegisterPasskeyOptions", "RevokeTarget", "StartOTPLoginOptions",
            ]),
        Module(
            folder: "Sources/PreludeSessionUI", prefixes: ["Session", "StepUp", "CodeEntry", "NewPassword"],
            others: ["DefaultSessionUIStyle", "ObservableSessionModel"]),
        Module(
            folder: "Service/Sources/PreludeSessionTesting", prefixes: ["TestService"],
            others: ["FaultyCredentialStore", "SoftwareAuthenticator"]),
    ]

    @Test("A public name that an app could have too begins with a name of the product", arguments: modules)
    private func names(module: Module) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(module.folder)
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        var names: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let source = try String(contentsOf: file, encoding: .utf8)
            // Declarations of Apple's systems are indented, because they are in `#if`.
            let pattern = /(?m)^(?:    )?public (?:final )?(?:class|struct|enum|protocol|actor|typealias) (\w+)/
            for match in source.matches(of: pattern)
            where !match.output.0.hasPrefix(" ") || source.hasPrefix("#if") {
                names.insert(String(match.output.1))
            }
        }
        #expect(names.count > module.others.count && names.isSuperset(of: module.others))
        let generic = names.subtracting(module.others).filter { name in
            !module.prefixes.contains { name.hasPrefix($0) }
        }
        #expect(generic.isEmpty)
    }
}
