import Crypto
import Foundation
import Measurement
import PlayedService
import PreludeSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A DPoP proof beside one bare P-256 signature of as many bytes. The way to a proof is `authorize(_:)` with a token that is
/// bound to the key; without the proof it is the same call with a token that is not.
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
