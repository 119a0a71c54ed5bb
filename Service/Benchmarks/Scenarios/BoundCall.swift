import NIOCore
import SessionWire

/// The request of a refresh, to the bound server. The server ignores what is in it.
final class BoundCall: Operation {
    let name = "bound"
    private let device: Device
    private let wire: WireRequest

    init(_ device: Device, wire: WireRequest) {
        self.device = device
        self.wire = wire
    }

    func begin() throws -> ByteBuffer? {
        wire.bytes(
            "POST", FrontendPath.refresh.rawValue,
            headers: [
                (HeaderName.refreshToken, device.refreshToken),
                (HeaderName.dpop, try device.proofs.proof(device.refreshPurpose)),
            ])
    }

    func receive(_ response: Message) -> Step { response.status == 200 ? .done : .failed }

    func prepare() throws { try device.proofs.prepare(device.refreshPurpose) }
}
