internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// What URLSession tells of a task, by the task's number.
enum ExchangeProgress: Sendable {
    case head(Int, URLResponse)
    case data(Int, Data)
    case end(Int, (any Error)?)
}

/// Collects the answers of a URLSession's tasks as they arrive, so that none grows beyond what is wanted.
actor Exchanges {
    private struct Exchange {
        let task: URLSessionTask
        let maximumAnswer: Int
        let continuation: CheckedContinuation<(Data, URLResponse), any Error>
        var response: URLResponse?
        var body = Data()
    }

    private var running: [Int: Exchange] = [:]

    /// Starts a task and waits for the end of its answer.
    func run(_ task: URLSessionTask, maximumAnswer: Int) async throws -> (Data, URLResponse) {
        try await withCheckedThrowingContinuation { continuation in
            running[task.taskIdentifier] = Exchange(
                task: task, maximumAnswer: maximumAnswer, continuation: continuation)
            task.resume()
        }
    }

    func take(_ progress: ExchangeProgress) {
        switch progress {
        case .head(let id, let response):
            running[id]?.response = response
            let announced = response.expectedContentLength
            if let limit = running[id]?.maximumAnswer, announced > limit { refuse(id) }
        case .data(let id, let data):
            guard let exchange = running[id] else { return }
            guard exchange.body.count + data.count <= exchange.maximumAnswer else { return refuse(id) }
            running[id]?.body.append(data)
        case .end(let id, let error):
            guard let exchange = running.removeValue(forKey: id) else { return }
            if let error {
                exchange.continuation.resume(throwing: error)
            } else if let response = exchange.response {
                exchange.continuation.resume(returning: (exchange.body, response))
            } else {
                exchange.continuation.resume(throwing: URLError(.badServerResponse))
            }
        }
    }

    /// Stops reading; what else comes of the task is nobody's any more.
    private func refuse(_ id: Int) {
        guard let exchange = running.removeValue(forKey: id) else { return }
        exchange.task.cancel()
        exchange.continuation.resume(throwing: AnswerTooLarge())
    }
}

/// Passes on what URLSession tells, in its order, and refuses redirects.
final class ExchangeDelegate: NSObject, URLSessionDataDelegate {
    private let progress: AsyncStream<ExchangeProgress>.Continuation

    init(progress: AsyncStream<ExchangeProgress>.Continuation) { self.progress = progress }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        progress.yield(.head(dataTask.taskIdentifier, response))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        progress.yield(.data(dataTask.taskIdentifier, data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        progress.yield(.end(task.taskIdentifier, error))
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { progress.finish() }

    /// A proof and a token are made for one URL: neither may travel on to where a redirect points.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
