import NIOCore

/// Rotates the refresh token of a session. The proof is made while the service works on the previous request.
final class Refresh: Operation {
    let name = "refresh"
    private let device: Device

    init(_ device: Device) { self.device = device }

    func begin() throws -> ByteBuffer? { try device.refresh() }

    func receive(_ response: Message) throws -> Step {
        guard response.status == 200 else { return .failed }
        try device.keep(response)
        return .done
    }

    func prepare() throws { try device.proofs.prepare(device.refreshPurpose) }
}
