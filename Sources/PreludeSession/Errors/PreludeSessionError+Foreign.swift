internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// What the app's own transport and stores throw, as errors of the SDK. A cancellation stays what it is.
extension PreludeSessionError {
    /// An error of a transport. It can be had from the case, and is in no text.
    static func ofTransport(_ error: any Error) -> any Error {
        switch error {
        case is PreludeSessionError, is CancellationError: error
        case let error as URLError where error.code == .timedOut: PreludeSessionError.timeout
        default: PreludeSessionError.network(underlying: error)
        }
    }

    /// An error of a store, of which the text tells nothing but its type.
    ///
    /// - Parameter what: What failed, to begin the text with.
    static func ofStorage(_ error: any Error, _ what: String) -> any Error {
        switch error {
        case is PreludeSessionError, is CancellationError: error
        default: PreludeSessionError.storageUnavailable("\(what) failed: \(type(of: error))")
        }
    }
}
