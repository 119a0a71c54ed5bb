/// Reports each jump of the system clock in the log, in both directions, also while no one asks for the health.
package struct ClockMonitor: Sendable {
    /// Seconds between two looks.
    static let interval = 5

    private let environment: ServiceEnvironment

    /// - Parameter environment: Its observer receives the notices.
    package init(environment: ServiceEnvironment) { self.environment = environment }

    /// Looks at the clock until the task is cancelled.
    package func run() async {
        var watch = ClockWatch()
        while !Task.isCancelled {
            if let seconds = watch.newJump(now: environment.now(), uptime: environment.uptime()) {
                environment.observer.observe(.notice(.clockWasSet(seconds: seconds)))
            }
            if (try? await environment.sleep(Self.interval)) == nil { return }
        }
    }
}
