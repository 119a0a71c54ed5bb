import NIOCore
import SessionWire

/// A request with the access token and a proof: the list of sessions, or a call of a backend that only verifies.
final class AuthorizedCall: Operation {
    let name: String
    private let device: Device
    private let wire: WireRequest
    private let path: String

    init(_ name: String, _ device: Device, wire: WireRequest, path: String) {
        self.name = name
        self.device = device
        self.wire = wire
        self.path = path
    }

    private var purpose: ProofPurpose { device.purpose("GET", url: wire.url(path)) }

    func begin() throws -> ByteBuffer? {
        wire.bytes("GET", path, headers: try device.authorization(purpose))
    }

    func receive(_ response: Message) -> Step {
        device.keepNonce(response)
        return response.status == 200 ? .done : .failed
    }

    func prepare() throws { try device.proofs.prepare(purpose) }
}
