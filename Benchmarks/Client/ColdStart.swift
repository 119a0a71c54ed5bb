import Foundation
import LoopbackServer
import Measurement
import PlayedService
import PreludeSession

/// Measures an app's start with a stored session: creates a client and makes one call, which reads the credential files.
/// The reference reads and parses the session's file.
///
/// - Parameters:
///   - name: The name of the call.
///   - ask: Makes the call.
func coldStart(_ name: String, ask: @escaping (PreludeSessionClient) async throws -> Void) {
    struct Stage {
        let server: LoopbackServer
        let endpoint: Endpoint
        let directory: String
        let record: URL
    }
    Comparison(
        "cold start to \(name)", calls: 20,
        stage: {
            let server = try LoopbackServer()
            let endpoint = Endpoint.custom("http://127.0.0.1:\(server.port)")
            let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            let store = PreludeFileCredentialStore(directory: directory)
            _ = try await PlayedService(firstLifetime: 3600).signIn(endpoint: endpoint, store: store)
            let files = try FileManager.default.contentsOfDirectory(atPath: directory)
            guard let file = files.first(where: { $0.hasSuffix(".session") }) else { throw Unexpected("no session") }
            return Stage(
                server: server, endpoint: endpoint, directory: directory,
                record: URL(fileURLWithPath: directory + "/" + file))
        },
        reference: { stage in
            { _ = try JSONSerialization.jsonObject(with: try Data(contentsOf: stage.record)) }
        },
        subject: { stage in
            {
                var configuration = PreludeSessionClient.Configuration(endpoint: stage.endpoint)
                configuration.credentialStore = PreludeFileCredentialStore(directory: stage.directory)
                let client = try PreludeSessionClient(configuration: configuration)
                try await ask(client)
                guard stage.server.requests == 0 else { throw Unexpected("a cold start went to the network") }
            }
        }
    ).register()
}
