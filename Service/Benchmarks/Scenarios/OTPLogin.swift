import NIOCore
import SessionWire

/// A login with a code: start, check, finalize. The service sends the code by SMS, and the generator plays what gets it.
///
/// Each login is that of the next user of a pool. So most of them have signed in before.
final class OTPLogin: Operation {
    private enum Stage { case start, check, finalize }

    private static let verificationName = SoughtName(HeaderName.verificationToken)

    let name = "otp login"
    private let device: Device
    private let numbers: NumberPool
    private var stage = Stage.start
    private var number = ""
    private var verification = ""

    init(_ device: Device, numbers: NumberPool) {
        self.device = device
        self.numbers = numbers
    }

    func begin() throws -> ByteBuffer? {
        number = numbers.next()
        stage = .start
        let identifier = Identifier(type: "phone_number", value: number)
        return try device.wire.bytes("POST", .otp, json: StartOTPRequest(identifier: identifier))
    }

    func receive(_ response: Message) throws -> Step {
        switch (stage, response.status) {
        case (.start, 204):
            guard let token = response.header(Self.verificationName) else { return .failed }
            verification = token
            return .awaitCode(to: number)
        case (.check, 200):
            guard let token = response.member("challenge_token") else { return .failed }
            stage = .finalize
            return .send(try device.finalize(challengeToken: token))
        case (.finalize, 200):
            try device.keep(response)
            return .done
        default: return .failed
        }
    }

    func enter(code: String) throws -> ByteBuffer {
        stage = .check
        return try device.wire.bytes(
            "POST", .otpCheck, headers: [(HeaderName.verificationToken, verification)],
            json: CheckOTPRequest(code: code))
    }
}
