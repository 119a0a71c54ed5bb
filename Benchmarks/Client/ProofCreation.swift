import Crypto
import Foundation
import Measurement
import PlayedService
import PreludeSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Compares a DPoP proof with one P-256 signature of a message of similar length.
///
/// `authorize(_:)` makes a proof if the token is bound to the key. The cost of the same call with a bearer token is
/// subtracted.
func proofCreation() {
    struct Stage {
        let bound: PreludeSessionClient
        let bearer: PreludeSessionClient
        let request: URLRequest
        let key = P256.Signing.PrivateKey()
        let message = Data(repeating: 0x61, count: 400)
    }
    Comparison(
        "DPoP proof", calls: 100,
        stage: {
            guard let url = URL(string: "https://api.example.com/v1/notes/42") else { throw Unexpected("no URL") }
            return Stage(
                bound: try await PlayedService(bound: true).signIn(), bearer: try await PlayedService().signIn(),
                request: URLRequest(url: url))
        },
        reference: { stage in { _ = try stage.key.signature(for: stage.message).rawRepresentation } },
        without: { stage in
            {
                var request = stage.request
                try await stage.bearer.authorize(&request)
            }
        },
        subject: { stage in
            {
                var request = stage.request
                try await stage.bound.authorize(&request)
                guard request.value(forHTTPHeaderField: "DPoP") != nil else { throw Unexpected("no proof") }
            }
        }
    ).register()
}
