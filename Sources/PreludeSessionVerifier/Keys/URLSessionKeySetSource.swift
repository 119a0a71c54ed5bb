internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

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
