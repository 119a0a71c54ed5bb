import Foundation
import NIOCore
import SessionTokens
import SessionWire

/// A step-up with one step: request, send a code, check it, and refresh.
final class StepUp: Operation {
    /// The scope of the rule that the benchmark configures.
    static let scope = "benchmark:write"

    private enum Stage { case request, send, check, refresh }

    let name = "step-up"
    private let device: Device
    private let number: String
    private var stage = Stage.request
    private var challenge = ""
    /// The service allows 30 in 10 minutes for each user, and this is no setting.
    private var left = 29

    init(_ device: Device, number: String) {
        self.device = device
        self.number = number
    }

    private var requestPurpose: ProofPurpose {
        device.purpose("POST", url: device.wire.url(FrontendPath.stepUpRequest.rawValue))
    }

    func begin() throws -> ByteBuffer? {
        guard left > 0 else { return nil }
        left -= 1
        stage = .request
        return try device.wire.bytes(
            "POST", .stepUpRequest, headers: try device.authorization(requestPurpose),
            json: StepUpRequest(scope: Self.scope))
    }

    func receive(_ response: Message) throws -> Step {
        switch (stage, response.status) {
        case (.request, 200):
            guard let token = response.member("challenge_token") else { return .failed }
            challenge = token
            stage = .send
            return .send(try device.wire.bytes("POST", .otp, json: StartOTPRequest(challengeToken: token)))
        case (.send, 204): return .awaitCode(to: number)
        case (.check, 200):
            guard let token = response.member("challenge_token") else { return .failed }
            stage = .refresh
            return .send(try device.refresh(stepUpToken: token))
        case (.refresh, 200):
            try device.keep(response)
            return .done
        default: return .failed
        }
    }

    func enter(code: String) throws -> ByteBuffer {
        stage = .check
        // The proof of a challenge repeats its `jti` and has no nonce.
        let claims = try JWT.unverifiedClaims(of: challenge)
        guard let id = claims["jti"]?.stringValue else { throw BenchmarkError("a challenge has no jti") }
        let purpose = ProofPurpose(method: "POST", url: device.wire.url(FrontendPath.otpCheck.rawValue), id: id)
        return try device.wire.bytes(
            "POST", .otpCheck, headers: [(HeaderName.dpop, try device.proofs.proof(purpose))],
            json: CheckOTPRequest(code: code, challengeToken: challenge))
    }
}
