#if AsyncHTTPClient
    internal import AsyncHTTPClient
    internal import PreludeSession

    extension PreludeSessionError {
        /// The error of a request that has no complete response.
        ///
        /// - Parameter isCancelled: Whether the caller's task is cancelled.
        static func failure(_ error: any Error, isCancelled: Bool) -> any Error {
            switch error {
            case is PreludeSessionError: error
            case _ where isCancelled: CancellationError()
            case let error as HTTPClientError: failure(error)
            default: PreludeSessionError.network(underlying: error)
            }
        }

        private static func failure(_ error: HTTPClientError) -> PreludeSessionError {
            switch error {
            case .connectTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout, .httpProxyHandshakeTimeout,
                .readTimeout, .socksHandshakeTimeout, .tlsHandshakeTimeout, .writeTimeout:
                .timeout
            case .emptyHost, .emptyScheme, .invalidURL: .invalidConfiguration("the request has no valid URL")
            default: .network(underlying: error)
            }
        }
    }
#endif
