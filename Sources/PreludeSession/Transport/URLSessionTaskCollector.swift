internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// What URLSession tells of a task, by the task's number.
enum ExchangeProgress: Sendable {
    case head(Int, URLResponse)
    case data(Int, Data)
    case tooLarge(Int)
    case end(Int, (any Error)?)
}

/// Collects the answers of a URLSession's tasks as they arrive.
actor URLSessionTaskCollector {
    private struct Exchange {
        let continuation: CheckedContinuation<(Data, URLResponse), any Error>
        var response: URLResponse?
        var body = Data()
    }

    private var running: [Int: Exchange] = [:]

    /// Starts a task and waits for the end of its answer.
    func run(_ task: URLSessionTask, maximumAnswer: Int) async throws -> (Data, URLResponse) {
        task.taskDescription = String(maximumAnswer)
        // A task that is cancelled before it is known here would tell its end to nobody.
        guard !Task.isCancelled else { throw URLError(.cancelled) }
        return try await withCheckedThrowingContinuation { continuation in
            running[task.taskIdentifier] = Exchange(continuation: continuation)
            task.resume()
        }
    }

    /// Ends a task that was started. One that was not never will be: whoever starts it was cancelled before this.
    func cancel(_ task: URLSessionTask) {
        if running[task.taskIdentifier] != nil { task.cancel() }
    }

    func take(_ progress: ExchangeProgress) {
        switch progress {
        case .head(let id, let response): running[id]?.response = response
        case .data(let id, let data): running[id]?.body.append(data)
        case .tooLarge(let id): running.removeValue(forKey: id)?.continuation.resume(throwing: AnswerTooLarge())
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
}

/// Passes on what URLSession tells, in its order and no more than is wanted, and refuses redirects.
final class ExchangeDelegate: NSObject, URLSessionDataDelegate {
    private let progress: AsyncStream<ExchangeProgress>.Continuation

    init(progress: AsyncStream<ExchangeProgress>.Continuation) { self.progress = progress }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if response.expectedContentLength > Self.remaining(of: dataTask) {
            refuse(dataTask)
        } else {
            progress.yield(.head(dataTask.taskIdentifier, response))
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        // Counted here and not by whoever collects: a fast server would be ahead of them by all of the memory.
        let remaining = Self.remaining(of: dataTask)
        guard remaining >= 0 else { return }
        guard data.count <= remaining else { return refuse(dataTask) }
        dataTask.taskDescription = String(remaining - data.count)
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

    /// Bytes that are still wanted: the task carries the number, for its calls come one after the other.
    private static func remaining(of task: URLSessionTask) -> Int { task.taskDescription.flatMap { Int($0) } ?? 0 }

    private func refuse(_ task: URLSessionTask) {
        task.taskDescription = "-1"
        task.cancel()
        progress.yield(.tooLarge(task.taskIdentifier))
    }
}
