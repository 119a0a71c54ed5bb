internal import SessionDomain

/// Waiting jobs, which are returned for one app after the other, and in order within an app.
struct AppTurns<Job> {
    private var jobs: [AppID: [Job]] = [:]
    /// The apps with waiting jobs; the first one is next.
    private var turns: [AppID] = []
    private(set) var count = 0

    mutating func append(_ job: Job, app: AppID) {
        if jobs[app] == nil { turns.append(app) }
        jobs[app, default: []].append(job)
        count += 1
    }

    mutating func popNext() -> Job? {
        guard !turns.isEmpty else { return nil }
        let app = turns.removeFirst()
        guard var own = jobs[app], !own.isEmpty else { return nil }
        let job = own.removeFirst()
        jobs[app] = own.isEmpty ? nil : own
        if !own.isEmpty { turns.append(app) }
        count -= 1
        return job
    }
}
