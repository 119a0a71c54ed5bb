import HTTPTypes
import Hummingbird
import SessionDomain
import SessionHTTP

extension FormOrigin {
    /// Checks the headers of a form.
    ///
    /// - Throws: `Refusal.forbidden`.
    @discardableResult
    static func check(_ request: Request, host: String) throws(Refusal) -> FormOrigin {
        try FormOrigin(
            origin: request.headers[.origin], site: request.headers[.secFetchSite], host: host)
    }
}
