import Foundation
import LoopbackServer
import Measurement
import PlayedService
import PreludeSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Compares `data(for:)` with a plain URLSession. Both call the same server on loopback.
///
/// - Parameter bound: Whether the access token is bound to the key, so that each request needs a proof.
func appCall(bound: Bool) {
    struct Stage {
        let client: PreludeSessionClient
        let session = URLSession(configuration: .ephemeral)
        let request: URLRequest
    }
    Comparison(
        bound ? "data(for:) with a DPoP token" : "data(for:) with a Bearer token", calls: 50,
        stage: {
            let server = try LoopbackServer()
            guard let url = URL(string: "http://127.0.0.1:\(server.port)/v1/notes/42") else {
                throw Unexpected("no URL")
            }
            let client = try await PlayedService(bound: bound).signIn()
            return Stage(client: client, request: URLRequest(url: url))
        },
        reference: { stage in
            {
                let (_, response) = try await stage.session.data(for: stage.request)
                guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Unexpected("no answer") }
            }
        },
        subject: { stage in
            {
                let (_, response) = try await stage.client.data(for: stage.request)
                guard response.statusCode == 200 else { throw Unexpected("no answer") }
            }
        }
    ).register()
}
