import Hummingbird
import SessionDomain
import SessionWire

extension AppRuntime {
    /// The token of a known device: of the header, otherwise of the cookie.
    func deviceToken(in request: Request) -> String? {
        request.headers.first(.trustedDevice) ?? AppCookies(app: self).trustedDevice(in: request)
    }
}
