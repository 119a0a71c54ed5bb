internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Errors of the app's own transport and stores, as errors of the SDK. A `CancellationError` stays as it is.
extension PreludeSessionError {
    /// The error for an error of a transport. The original is in the case's payload and in no text.
    ///
    /// - Parameter origin: What was called: scheme, host and port.
    static func transportError(_ error: any Error, from origin: String) -> any Error {
        switch error {
        case let error as URLError where error.isOfCancelledTask: CancellationError()
        case PreludeSessionError.network(let cause as URLError) where cause.isOfCancelledTask: CancellationError()
        case PreludeSessionError.network(let cause):
            PreludeSessionError.network(underlying: named(cause, origin: origin))
        case is PreludeSessionError, is CancellationError: error
        case let error as URLError where error.code == .timedOut: PreludeSessionError.timeout
        default: PreludeSessionError.network(underlying: named(error, origin: origin))
        }
    }

    /// The cause with the host that was called. `URLError` stays what it is, because apps compare its code.
    private static func named(_ cause: any Error, origin: String) -> any Error {
        switch cause {
        case is PreludeTransportFailure, is GatewayError, is CancellationError: cause
        case let error as URLError: error.naming(origin: origin)
        default:
            PreludeTransportFailure(
                host: String(origin.drop { $0 != "/" }.dropFirst(2)),
                cause: cause is AnswerTooLarge || cause is AnswerIsPage ? .invalidResponse : .other, underlying: cause)
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

extension PreludeSessionError {
    /// Why a request got no response, with the host; `nil` for all cases but `.network`, and if a gateway answered.
    public var transportFailure: PreludeTransportFailure? {
        guard case .network(let cause) = self else { return nil }
        return cause as? PreludeTransportFailure ?? (cause as? URLError)?.transportFailure
    }
}
