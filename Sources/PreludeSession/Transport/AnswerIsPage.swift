internal import HTTPTypes

/// A response with status 2xx is an HTML page, so another server has sent it, such as a gateway or a website at the same
/// host. The service sends no pages to the SDK.
struct AnswerIsPage: Error {
    /// - Throws: `PreludeSessionError.network`, whose underlying error is this one. A page with another status is the error of
    ///   its status.
    static func check(_ response: HTTPResponse) throws {
        guard response.status.kind == .successful,
            response.headerFields[.contentType]?.lowercased().hasPrefix("text/html") == true
        else { return }
        throw PreludeSessionError.network(underlying: AnswerIsPage())
    }
}
