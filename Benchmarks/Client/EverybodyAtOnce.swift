import Measurement
import PlayedService
import PreludeSession

/// Ten thousand tasks call `refresh()` when the access token is spent: one request, however many ask. Beside it, as many
/// tasks that wait for one task.
func everybodyAtOnce() {
    let callers = 10_000
    Comparison(
        "\(callers) refresh() at once", calls: 1, samples: 60,
        stage: {},
        reference: { _ in
            let arrivals = Arrivals(of: callers)
            return {
                let shared = Task { await arrivals.everybody() }
                let tasks = (0..<callers).map { _ in
                    Task {
                        arrivals.arrive()
                        await shared.value
                    }
                }
                for task in tasks { await task.value }
            }
        },
        subject: { _ in
            let arrivals = Arrivals(of: callers)
            // The answer waits until all have asked.
            let service = try PlayedService(firstLifetime: 0) { await arrivals.everybody() }
            let client = try await service.signIn()
            return {
                // No task group: the runtime looks a child up among its siblings when it ends, which ten thousand notice.
                let tasks = (0..<callers).map { _ in
                    Task {
                        arrivals.arrive()
                        try await client.refresh()
                    }
                }
                for task in tasks { try await task.value }
                guard service.refreshes == 1 else {
                    throw Unexpected("\(callers) callers made \(service.refreshes) requests instead of one")
                }
            }
        }
    ).register()
}
