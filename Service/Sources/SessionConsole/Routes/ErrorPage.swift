import HTTPTypes
import Hummingbird
import SessionDomain
import SessionHTTP

/// The page of an error, with what the operator can do.
enum ErrorPage {
    /// Logs an error of the service, notes it for the line of the request, and makes its page.
    static func page(for error: any Error, context: ServiceRequestContext) -> Page {
        let refusal = ErrorResponse.report(error, context: context)
        var page = Page(title(of: refusal.status)) {
            H.p(.class("lead")) { Show.sentence(refusal.message) }
            if let id = context.requestID { H.p(.class("hint")) { "Request " + id } }
            H.p { Link.button("Back to the overview", .home) }
        }
        (page.status, page.retryAfter) = (refusal.status, refusal.retryAfter)
        return page
    }

    private static func title(of status: HTTPResponse.Status) -> String {
        switch status.code {
        case 403: "This is not allowed"
        case 404: "This page does not exist"
        case 409: "This is not possible now"
        case 429: "Too many attempts"
        case 500...: "The service has a problem"
        default: "The request is not valid"
        }
    }
}
