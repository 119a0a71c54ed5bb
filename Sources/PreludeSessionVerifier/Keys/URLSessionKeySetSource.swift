internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The source of every platform that has Foundation: one GET, no redirects, no cookies, a limit on time and size.
struct URLSessionKeySetSource: KeySetSource {
    /// Sets of a hundred RSA keys stay far below it.
    static let maximumLength = 256 * 1024
    /// Seconds without a byte; for the whole answer there is the policy's timeout.
    static let idleTimeout: TimeInterval = 10

    let url: URL

    func fetch() async throws -> FetchedKeySet {
        var request = URLRequest(url: url, timeoutInterval: Self.idleTimeout)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        let (parts, continuation) = AsyncThrowingStream<KeySetDownload.Part, any Error>.makeStream()
        // There are minutes between two fetches, so that no connection is worth keeping.
        let session = URLSession(
            configuration: Self.configuration, delegate: KeySetDownload(continuation), delegateQueue: nil)
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

/// One answer as it arrives, judged before it is kept.
private final class KeySetDownload: NSObject, URLSessionDataDelegate {
    enum Part: Sendable {
        /// The answer is good so far; with its `max-age`.
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
        // The task carries what is still wanted: its calls come one after the other.
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

    /// Keys come from the place that was configured, and from nowhere it points to.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
