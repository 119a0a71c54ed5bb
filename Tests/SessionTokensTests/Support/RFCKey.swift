import SessionConformance
import SessionTokens

/// Keys printed in RFCs, named after the place where they are printed. Their private halves are public: tests only.
enum RFCKey {
    /// RFC 7515 appendix A.3.1, P-256.
    static let rfc7515A3 = PublishedKeys.device
    /// RFC 8037 appendix A.1, Ed25519.
    static let rfc8037A1 = PublishedKeys.service
    /// RFC 7517 appendix A.2, P-256.
    static let rfc7517A2 = PublishedKeys.otherDevice
}
