internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// One answer as it arrives, judged before it is kept.
final class KeySetDownloadDelegate: NSObject, URLSessionDataDelegate {
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
