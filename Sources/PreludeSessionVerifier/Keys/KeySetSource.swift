public import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Fetches the service's public keys, by default from `/.well-known/jwks.json`.
public protocol KeySetSource: Sendable {
    /// Fetches the key set.
    ///
    /// - Throws: Any error, if there is no response with status 200. The verifier continues with its current keys.
    func fetch() async throws -> FetchedKeySet
}

/// A response with a JWK Set (RFC 7517 §5).
public struct FetchedKeySet: Sendable {
    /// The body.
    public let json: Data
    /// `max-age` of `Cache-Control` (RFC 9111 §5.2.2.1) in seconds; `nil` if the response has none.
    public let maxAge: TimeInterval?

    /// Creates a response for your own source.
    public init(json: Data, maxAge: TimeInterval? = nil) {
        self.json = json
        self.maxAge = maxAge
    }
}

/// A key source that calls a function, for example to read the keys from the service of a unit test.
///
/// ```swift
/// let source = KeySetLoader { try Data(contentsOf: URL(fileURLWithPath: "jwks.json")) }
/// ```
public struct KeySetLoader: KeySetSource {
    private let load: @Sendable () async throws -> Data

    /// Creates a source from a function that returns a JWK Set (RFC 7517 §5).
    ///
    /// - Parameter load: Called for each fetch. A set is fresh for ``KeyCachePolicy/lifetime``.
    /// - Throws: Nothing. If `load` throws, the fetch fails.
    public init(_ load: @escaping @Sendable () async throws -> Data) { self.load = load }

    public func fetch() async throws -> FetchedKeySet { FetchedKeySet(json: try await load()) }
}

/// The default key source: one GET request without redirects and cookies, with limits on time and size.
struct URLSessionKeySetSource: KeySetSource {
    /// The maximum length of the body in bytes. A set of a hundred RSA keys is much shorter.
    static let maximumLength = 256 * 1024
    /// Seconds without a received byte. The policy's timeout limits the whole response.
    static let idleTimeout: TimeInterval = 10

    let url: URL

    func fetch() async throws -> FetchedKeySet {
        var request = URLRequest(url: url, timeoutInterval: Self.idleTimeout)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        let (parts, continuation) = AsyncThrowingStream<KeySetDownloadDelegate.Part, any Error>.makeStream()
        // Fetches are minutes apart, so the connection is not kept.
        let session = URLSession(
            configuration: Self.configuration, delegate: KeySetDownloadDelegate(continuation), delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        let task = session.dataTask(with: request)
        task.taskDescription = String(Self.maximumLength)
        task.resume()
        var json = Data()
        var maxAge: TimeInterval?
        for try await part in parts {
            switch part {
            case .head(let seconds): maxAge = seconds
            case .body(let data): json.append(data)
            }
        }
        try Task.checkCancellation()
        return FetchedKeySet(json: json, maxAge: maxAge)
    }

    private static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        return configuration
    }
}

/// Receives one HTTP response and checks its status and length while it arrives.
private final class KeySetDownloadDelegate: NSObject, URLSessionDataDelegate {
    enum Part: Sendable {
        /// The status is 200; the value is the rest of `max-age` in seconds.
        case head(TimeInterval?)
        case body(Data)
    }

    private let parts: AsyncThrowingStream<Part, any Error>.Continuation

    init(_ parts: AsyncThrowingStream<Part, any Error>.Continuation) { self.parts = parts }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse, response.statusCode == 200 {
            parts.yield(
                .head(
                    CacheControl.remaining(
                        response.value(forHTTPHeaderField: "Cache-Control"),
                        age: response.value(forHTTPHeaderField: "Age"))))
        } else {
            parts.finish(throwing: URLError(.badServerResponse))
            dataTask.cancel()
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        // The task description holds the number of bytes that may still arrive. Delegate calls do not overlap.
        let remaining = (dataTask.taskDescription.flatMap { Int($0) } ?? 0) - data.count
        dataTask.taskDescription = String(remaining)
        guard remaining >= 0 else {
            parts.finish(throwing: URLError(.dataLengthExceedsMaximum))
            return dataTask.cancel()
        }
        parts.yield(.body(data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        parts.finish(throwing: error)
    }

    /// Does not follow redirects: keys come from the configured URL only.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

/// Reads `max-age` from `Cache-Control` headers.
enum CacheControl {
    /// `max-age` in seconds (RFC 9111 §5.2.2.1); `nil` if it is missing or not a number.
    static func maxAge(_ header: String?) -> TimeInterval? {
        for directive in (header ?? "").split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, parts[0].lowercased() == "max-age" else { continue }
            let digits = parts[1].trimmingCharacters(in: CharacterSet(charactersIn: "\""))
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return UInt32(digits).map(TimeInterval.init)
        }
        return nil
    }

    /// The rest of `max-age` in seconds, after the `Age` that the response spent in a cache (RFC 9111 §4.2.3).
    static func remaining(_ header: String?, age: String?) -> TimeInterval? {
        maxAge(header).map { max(0, $0 - (age.flatMap(UInt32.init).map(TimeInterval.init) ?? 0)) }
    }
}
