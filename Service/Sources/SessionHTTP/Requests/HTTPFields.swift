package import HTTPTypes
import SessionDomain
import SessionWire
import Synchronization

/// The header names that HTTPTypes does not have. A name is parsed and converted to lower case once, not for each request.
extension HTTPField.Name {
    static let dpop = known(HeaderName.dpop)
    static let dpopNonce = known(HeaderName.dpopNonce)
    static let refreshToken = known(HeaderName.refreshToken)
    static let refreshTokenExpiresAt = known(HeaderName.refreshTokenExpiresAt)
    static let verificationToken = known(HeaderName.verificationToken)
    static let trustedDevice = known(HeaderName.trustedDevice)
    static let deviceID = known(HeaderName.deviceID)
    static let requestID = known(HeaderName.requestID)

    static let secFetchSite = known("Sec-Fetch-Site")
    /// RFC 7239 §4.
    static let forwarded = known("Forwarded")
    static let forwardedFor = known("X-Forwarded-For")
    static let forwardedHost = known("X-Forwarded-Host")
    static let forwardedMethod = known("X-Forwarded-Method")
    static let forwardedProto = known("X-Forwarded-Proto")
    static let forwardedURI = known("X-Forwarded-Uri")

    static let userID = known("X-User-Id")
    static let sessionID = known("X-Session-Id")
    static let scopes = known("X-Scopes")

    private static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is not the name of a header") }
        return name
    }
}

/// Short names for reading and writing headers.
extension HTTPFields {
    /// The values of a header, one for each time that it occurs, in order. Values are not split at commas.
    func all(_ name: HTTPField.Name) -> [String] { self[values: name] }

    /// The value of a header where it occurs for the first time.
    func first(_ name: HTTPField.Name) -> String? { self[values: name].first }

    mutating func set(_ name: HTTPField.Name, to value: String) { self[name] = value }

    mutating func add(_ name: HTTPField.Name, _ value: String) { append(HTTPField(name: name, value: value)) }
}

extension HTTPFields {
    /// The value of a cookie (RFC 6265 §5.4). If the name occurs more than once, the first one counts.
    ///
    /// Names are case-sensitive. The value is everything up to the next semicolon, quotes included.
    package func cookie(_ name: String) -> String? {
        for header in all(.cookie) {
            for pair in header.split(separator: ";") {
                let trimmed = pair.drop { $0 == " " }
                guard let equals = trimmed.firstIndex(of: "="), trimmed[..<equals] == name else { continue }
                return String(trimmed[trimmed.index(after: equals)...])
            }
        }
        return nil
    }
}

/// The date format of HTTP headers, IMF-fixdate (RFC 9110 §5.6.7).
enum HTTPDate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func format(_ timestamp: Timestamp) -> String {
        let time = CalendarTime(seconds: timestamp.seconds)
        return "\(weekdays[time.weekday]), \(time.day) \(months[time.month - 1]) \(time.year) \(time.clock) GMT"
    }
}

/// Formats the time of responses once for each second.
final class LatestDate: Sendable {
    private let latest = Mutex((seconds: Int64.min, text: ""))

    func text(of timestamp: Timestamp) -> String {
        latest.withLock { latest in
            if latest.seconds != timestamp.seconds {
                latest = (timestamp.seconds, HTTPDate.format(timestamp))
            }
            return latest.text
        }
    }
}
