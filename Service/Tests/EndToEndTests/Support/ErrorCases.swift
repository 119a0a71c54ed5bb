import PreludeSession

/// Whether an error is `.unauthorized`, with any text.
func isUnauthorized(_ error: any Error) -> Bool {
    if case PreludeSessionError.unauthorized = error { true } else { false }
}

/// Whether an error is `.network`, with any cause.
func isNetwork(_ error: any Error) -> Bool {
    if case PreludeSessionError.network = error { true } else { false }
}
