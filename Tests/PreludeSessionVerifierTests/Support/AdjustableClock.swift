import Foundation
import PreludeSessionVerifier
import Synchronization

/// A clock for the verifier that only the test advances.
final class AdjustableClock: Sendable {
    static let start: Int64 = 1_750_000_000
    private let time = Mutex(Double(start))

    var seconds: Int64 { Int64(time.withLock { $0 }) }
    var environment: VerifierEnvironment {
        VerifierEnvironment { [self] in Date(timeIntervalSince1970: time.withLock { $0 }) }
    }

    func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
}
