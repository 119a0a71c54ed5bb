import Foundation
import PreludeSessionVerifier
import Synchronization

/// The verifier's clock, which stands still until a test moves it.
final class AdjustableClock: Sendable {
    static let start: Int64 = 1_750_000_000
    private let time = Mutex(Double(start))

    var seconds: Int64 { Int64(time.withLock { $0 }) }
    var environment: VerifierEnvironment {
        VerifierEnvironment { [self] in Date(timeIntervalSince1970: time.withLock { $0 }) }
    }

    func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
}
