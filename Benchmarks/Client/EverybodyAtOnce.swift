import Measurement
import PlayedService
import PreludeSession

/// Measures ten thousand concurrent `refresh()` calls with an expired access token, which send one request. In the
/// reference, as many tasks wait for one task.
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
            // The service responds after all tasks have called.
            let service = try PlayedService(firstLifetime: 0) { await arrivals.everybody() }
            let client = try await service.signIn()
            return {
                // No task group: when a child ends, the runtime searches it among all children, which is slow for ten
                // thousand.
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
