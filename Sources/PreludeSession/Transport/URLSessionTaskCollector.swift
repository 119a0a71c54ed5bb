internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// An event of a URLSession task, with the task's identifier.
enum URLSessionTaskEvent: Sendable {
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
    func run(_ task: URLSessionTask, maximumResponseBytes: Int) async throws -> (Data, URLResponse) {
        task.taskDescription = String(maximumResponseBytes)
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

    func take(_ event: URLSessionTaskEvent) {
        switch event {
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
