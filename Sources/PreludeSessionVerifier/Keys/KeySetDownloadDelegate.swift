internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Receives one HTTP response and checks its status and length while it arrives.
final class KeySetDownloadDelegate: NSObject, URLSessionDataDelegate {
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
