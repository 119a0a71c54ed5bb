import NIOCore
import SessionWire

/// A login with a password: the check of the password, and finalize.
final class PasswordLogin: Operation {
    static let password = "correct horse battery"

    let name = "password login"
    private let device: Device
    private let email: String
    private var isFinalizing = false

    init(_ device: Device, email: String) {
        self.device = device
        self.email = email
    }

    static func email(_ connection: Int) -> String { "person\(connection)@example.com" }

    func begin() throws -> ByteBuffer? {
        isFinalizing = false
        return try device.wire.bytes(
            "POST", .passwordLogin, json: PasswordLoginRequest(identifier: email, password: Self.password))
    }

    func receive(_ response: Message) throws -> Step {
        guard response.status == 200 else { return .failed }
        if isFinalizing {
            try device.keep(response)
            return .done
        }
        guard let token = response.member("challenge_token") else { return .failed }
        isFinalizing = true
        return .send(try device.finalize(challengeToken: token))
    }
}
