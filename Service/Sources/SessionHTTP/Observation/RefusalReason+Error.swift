import HTTPTypes
import Hummingbird
import SessionDomain

extension RefusalReason {
    /// The reason of any error that a route or a middleware throws.
    init(of error: any Error) {
        self =
            switch error {
            case let refusal as Refusal: RefusalReason(refusal)
            case let error as HTTPError: .other(Other(error.status))
            case StoreError.overloaded: .other(.writeQueueFull)
            case let error as StoreError where error.isOfCaller: .other(.rowsInUse)
            case is StoreError: .other(.databaseUnavailable)
            default: .other(.internalError)
            }
    }
}

extension RefusalReason.Other {
    /// The reason of an error that the HTTP layer itself throws.
    fileprivate init(_ status: HTTPResponse.Status) {
        self =
            switch status {
            case .notFound, .methodNotAllowed: .noSuchEndpoint
            case .contentTooLarge: .bodyTooLarge
            case .unsupportedMediaType: .unsupportedMediaType
            case .requestHeaderFieldsTooLarge: .headersTooLarge
            case let status where status.kind == .clientError: .invalidRequest
            default: .internalError
            }
    }
}
