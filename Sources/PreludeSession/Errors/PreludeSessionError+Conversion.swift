internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Errors of the app's own transport and stores, as errors of the SDK. A `CancellationError` stays as it is.
extension PreludeSessionError {
    /// The error for an error of a transport. The original is the case's payload and is in no text.
    static func transportError(_ error: any Error) -> any Error {
        switch error {
        case is PreludeSessionError, is CancellationError: error
        case let error as URLError where error.code == .timedOut: PreludeSessionError.timeout
        default: PreludeSessionError.network(underlying: error)
        }
    }

    /// The error for an error of a store. Its text contains only the original's type.
    ///
    /// - Parameter component: The failed part, as the error's sentence begins.
    static func storageError(_ error: any Error, of component: String) -> any Error {
        switch error {
        case is PreludeSessionError, is CancellationError: error
        default: PreludeSessionError.storageUnavailable("\(component) failed: \(type(of: error))")
        }
    }
}
