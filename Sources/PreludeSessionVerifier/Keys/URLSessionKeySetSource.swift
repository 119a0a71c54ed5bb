internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The source of every platform that has Foundation: one GET, no redirects, no cookies, a limit on time and size.
final class URLSessionKeySetSource: KeySetSource {
    /// Sets of a hundred RSA keys stay far below it.
    static let maximumLength = 256 * 1024
    /// Seconds.
    static let timeout: TimeInterval = 10

    private let url: URL
    private let session: URLSession

    init(url: URL) {
        self.url = url
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = Self.timeout
        configuration.timeoutIntervalForResource = Self.timeout
        session = URLSession(configuration: configuration, delegate: RefusesRedirects(), delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    func fetch() async throws -> FetchedKeySet {
        var request = URLRequest(url: url, timeoutInterval: Self.timeout)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse, response.statusCode == 200 else {
            throw URLError(.badServerResponse)
        }
        guard data.count <= Self.maximumLength else { throw URLError(.dataLengthExceedsMaximum) }
        return FetchedKeySet(
            json: data,
            maxAge: CacheControl.remaining(
                response.value(forHTTPHeaderField: "Cache-Control"), age: response.value(forHTTPHeaderField: "Age")))
    }
}

/// Keys come from the place that was configured, and from nowhere it points to.
private final class RefusesRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
