internal import Foundation
internal import SessionTokens

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif
#if canImport(Security)
    internal import Security
#endif

/// Forwards the events of tasks in their order, limits the size of responses, and rejects redirects.
final class URLSessionEventDelegate: NSObject, URLSessionDataDelegate {
    private let events: AsyncStream<URLSessionTaskEvent>.Continuation
    private let acceptsAnyCertificateOfThisDevice: Bool

    init(events: AsyncStream<URLSessionTaskEvent>.Continuation, acceptsAnyCertificateOfThisDevice: Bool) {
        self.events = events
        self.acceptsAnyCertificateOfThisDevice = acceptsAnyCertificateOfThisDevice
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if response.expectedContentLength > Self.remaining(of: dataTask) {
            reject(dataTask)
        } else {
            events.yield(.head(dataTask.taskIdentifier, response))
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        // Counted here and not in the collector: a fast server could fill the memory before the collector runs.
        let remaining = Self.remaining(of: dataTask)
        guard remaining >= 0 else { return }
        guard data.count <= remaining else { return reject(dataTask) }
        dataTask.taskDescription = String(remaining - data.count)
        events.yield(.data(dataTask.taskIdentifier, data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        events.yield(.end(task.taskIdentifier, error))
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { events.finish() }

    /// Rejects redirects: a proof and a token are for one URL and must not be sent to another.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    #if canImport(Security)
        /// Accepts any certificate of this device if the app asked for it, and leaves all other hosts to the system.
        func urlSession(
            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let host = challenge.protectionSpace.host
            let isThisDevice = TargetURI.loopbackHosts.contains(host.contains(":") ? "[\(host)]" : host)
            guard acceptsAnyCertificateOfThisDevice, isThisDevice, let trust = challenge.protectionSpace.serverTrust
            else {
                return completionHandler(.performDefaultHandling, nil)
            }
            completionHandler(.useCredential, URLCredential(trust: trust))
        }
    #endif

    /// How many more bytes are accepted. The task carries the number; its delegate calls are serial.
    private static func remaining(of task: URLSessionTask) -> Int { task.taskDescription.flatMap { Int($0) } ?? 0 }

    private func reject(_ task: URLSessionTask) {
        task.taskDescription = "-1"
        task.cancel()
        events.yield(.tooLarge(task.taskIdentifier))
    }
}
