package import Foundation

/// A request of ours to a URL that an operator configured.
package struct EgressRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package var method: Method
    package var url: String
    package var headers: [(name: String, value: String)]
    package var body: Data
    /// Seconds for everything, from the look-up of the name to the last byte of the answer.
    package var timeout: Int
    /// The largest answer that is read, in bytes.
    package var maximumAnswer: Int

    package init(
        _ method: Method, _ url: String, headers: [(name: String, value: String)] = [], body: Data = Data(),
        timeout: Int = 5, maximumAnswer: Int = 64 * 1024
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maximumAnswer = maximumAnswer
    }
}

package struct EgressAnswer: Sendable, Equatable {
    package let status: Int
    package let body: Data

    package init(status: Int, body: Data) {
        self.status = status
        self.body = body
    }
}

/// Why no answer was had. The texts are for operators; none holds a body or a credential.
package enum EgressError: Error, Equatable {
    /// The URL is not one that may be called: not https, with credentials in it, or not a URL.
    case refusedURL(String)
    /// The name leads only to addresses that are private or otherwise special.
    case refusedAddress(String)
    case cannotResolve(String)
    case timedOut
    /// The answer is larger than asked for.
    case answerTooLarge
    case connectionFailed(String)
}

/// The one way out: everything the service calls by itself goes through here.
///
/// It never follows redirects, and connects to the very address it has judged.
package protocol Egress: Sendable {
    func send(_ request: EgressRequest) async throws(EgressError) -> EgressAnswer

    /// Judges a URL by its text alone, for configuration to refuse early what `send` would refuse later.
    func validate(url: String) throws(EgressError)
}
