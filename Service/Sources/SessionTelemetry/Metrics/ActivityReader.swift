package import SessionDomain

/// Reads what the graphs of the console show from the metrics of this process.
package struct ActivityReader: Sendable {
    private let registry: MetricsRegistry
    /// The routes of calls that begin a login.
    private let loginStarts: Set<String>

    package init(registry: MetricsRegistry, loginStarts: Set<String>) {
        self.registry = registry
        self.loginStarts = loginStarts
    }

    /// All amounts since the start of the process.
    package func totals() -> ActivityAmounts {
        var amounts = ActivityAmounts()
        addCalls(to: &amounts)
        for (labels, count) in registry.counts(of: MetricCatalogue.logins) {
            amounts[labels.last == LoginResult.succeeded.name ? .loginsSucceeded : .loginsFailed] += count
        }
        for (labels, count) in registry.counts(of: MetricCatalogue.refreshes) {
            if let kind = labels.first.flatMap(RefreshResult.init(rawValue:)).flatMap({ ActivityCount($0) }) {
                amounts[kind] += count
            }
        }
        addMessages(to: &amounts)
        return amounts
    }

    private func addCalls(to amounts: inout ActivityAmounts) {
        for (labels, count) in registry.counts(of: MetricCatalogue.requests) where ServedRequest.isCall(labels[0]) {
            if let kind = ActivityCount(status: Int(labels[2]) ?? 0) {
                amounts[kind] += count
            } else if labels[1] == "POST", loginStarts.contains(labels[0]) {
                // Browsers ask with OPTIONS whether they may send the call.
                amounts[.loginsStarted] += count
            }
        }
        let demands = registry.counts(of: MetricCatalogue.refusals)[[RefusalReason.proof(.nonceRequired).name]] ?? 0
        amounts[.callsRefused] = max(0, amounts[.callsRefused] - demands)
        // No route has seen them.
        amounts[.callsLimited] += registry.counts(of: MetricCatalogue.shedRequests).values.reduce(0, +)
        for (labels, buckets) in registry.buckets(of: MetricCatalogue.requestDuration)
        where ServedRequest.isOfApps(labels[0]) {
            for (index, count) in buckets.enumerated() { amounts.latency.counts[index] += count }
        }
    }

    private func addMessages(to amounts: inout ActivityAmounts) {
        let channel = OTPLoginConfig.Channel.sms.rawValue
        for (labels, count) in registry.counts(of: MetricCatalogue.messagesSent) {
            amounts[labels.first == channel ? .smsSent : .mailsSent] += count
        }
        for (labels, count) in registry.counts(of: MetricCatalogue.messagesFailed) {
            amounts[labels.first == channel ? .smsFailed : .mailsFailed] += count
        }
    }
}
