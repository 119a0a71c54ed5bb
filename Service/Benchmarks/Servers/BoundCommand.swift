import ArgumentParser
import Crypto
import Foundation
import Hummingbird
import NIOCore
import SessionHTTP

/// The bound of a refresh: Hummingbird with one P-256 verification and one Ed25519 signature, and no other work.
struct BoundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bound", abstract: "Serve one P-256 verification and one Ed25519 signature per request.")

    @Option(help: "The port on 127.0.0.1.")
    var port: Int

    @Option(help: "Bytes of the body, without the signature.")
    var bodySize = 567

    func run() async throws {
        EventLoops.useAvailableCores()
        try await Application(
            router: try router(),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
        ).runService()
    }

    /// The keys are parsed and the messages are built before. The verified message has the length of a proof, the signed one
    /// that of an access token.
    private func router() throws -> Router<BasicRequestContext> {
        let (device, service) = (P256.Signing.PrivateKey(), Curve25519.Signing.PrivateKey())
        let proof = Data(repeating: 0x61, count: 430)
        let token = Data(repeating: 0x62, count: 480)
        let (deviceKey, signature) = (device.publicKey, try device.signature(for: proof))
        let text = String(repeating: "x", count: bodySize)
        let router = Router()
        router.post("/v1/session/refresh") { _, _ -> Response in
            guard deviceKey.isValidSignature(signature, for: proof) else { throw HTTPError(.unauthorized) }
            var body = ByteBuffer(string: text)
            body.writeBytes(try service.signature(for: token))
            return Response(status: .ok, body: ResponseBody(byteBuffer: body))
        }
        return router
    }
}
