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
        let (parts, continuation) = AsyncThrowingStream<KeySetDownloadDelegate.Part, any Error>.makeStream()
        // There are minutes between two fetches, so that no connection is worth keeping.
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
