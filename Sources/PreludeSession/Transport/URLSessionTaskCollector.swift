internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A step of a URLSession task, with the task's identifier.
enum ExchangeProgress: Sendable {
    case head(Int, URLResponse)
    case data(Int, Data)
    case tooLarge(Int)
    case end(Int, (any Error)?)
}

/// Collects the responses of a URLSession's tasks as they arrive.
actor URLSessionTaskCollector {
    private struct Exchange {
        let continuation: CheckedContinuation<(Data, URLResponse), any Error>
        var response: URLResponse?
        var body = Data()
    }

    private var running: [Int: Exchange] = [:]

    /// Starts a task and waits for its complete response.
    func run(_ task: URLSessionTask, maximumAnswer: Int) async throws -> (Data, URLResponse) {
        task.taskDescription = String(maximumAnswer)
        // If the task was cancelled before it is in `running`, its end would resume no continuation.
        guard !Task.isCancelled else { throw URLError(.cancelled) }
        return try await withCheckedThrowingContinuation { continuation in
            running[task.taskIdentifier] = Exchange(continuation: continuation)
            task.resume()
        }
    }

    /// Cancels a task that was started. A task that was not started is never started, because `run` checks cancellation.
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

/// Forwards the steps of tasks in their order, limits the size of responses, and rejects redirects.
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
        // Counted here and not in the collector: a fast server could fill the memory before the collector runs.
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

    /// Rejects redirects: a proof and a token are for one URL and must not be sent to another.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    /// How many more bytes are accepted. The task carries the number; its delegate calls are serial.
    private static func remaining(of task: URLSessionTask) -> Int { task.taskDescription.flatMap { Int($0) } ?? 0 }

    private func refuse(_ task: URLSessionTask) {
        task.taskDescription = "-1"
        task.cancel()
        progress.yield(.tooLarge(task.taskIdentifier))
    }
}
