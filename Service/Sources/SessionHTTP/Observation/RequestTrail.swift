package import SessionDomain
import Synchronization

/// What the parts of the service find out about the current request, for its line in the log.
///
/// `RequestMiddleware` creates it. It holds names of the source code, the id of an app and that of a trace, never a
/// text of the caller.
package final class RequestTrail: Sendable {
    @TaskLocal package static var current: RequestTrail?

    struct Findings {
        var app: AppID?
        /// In 32 hexadecimal digits.
        var traceID: String?
        var code: String?
        /// The reason that a rule has reported.
        var reason: RefusalReason?
        /// The reason that the error itself contains. `nil`: the request was not refused.
        var refusal: RefusalReason?

        /// The most precise reason, the same one for the log and for metrics.
        var mainReason: RefusalReason? { reason ?? refusal }
    }

    private let findings = Mutex(Findings())

    var current: Findings { findings.withLock { $0 } }

    package func note(app: AppID) { findings.withLock { $0.app = app } }

    func note(traceID: String) { findings.withLock { $0.traceID = traceID } }

    func note(code: String, refusal: RefusalReason) {
        findings.withLock { findings in
            findings.code = code
            findings.refusal = refusal
        }
    }

    /// The first reason stays: what follows from it says less.
    func note(_ reason: RefusalReason) { findings.withLock { $0.reason = $0.reason ?? reason } }
}

/// Notes the reasons of refusals on the trail of the request that causes them.
package struct TrailObserver: ServiceObserver {
    package init() {}

    package func observe(_ occurrence: Occurrence) {
        guard let reason = RefusalReason(occurrence) else { return }
        RequestTrail.current?.note(reason)
    }
}

extension RefusalReason {
    /// The reason that a rule reports beside the refusal. `nil`: the occurrence is no reason for a refusal.
    fileprivate init?(_ occurrence: Occurrence) {
        switch occurrence {
        case .login(_, .failed(let failure)): self = .login(failure)
        case .limitReached(let limit): self = .limit(limit)
        case .reuse(let reuse): self = .reuse(reuse)
        case .hookFailed(let failure): self = .hook(failure)
        case .refresh(.invalidToken, _): self = .other(.refreshTokenInvalid)
        case .refresh(.ended, _): self = .other(.sessionEnded)
        case .passwordHashRefused: self = .other(.passwordHashQueueFull)
        case .writeRefused: self = .other(.writeQueueFull)
        default: return nil
        }
    }
}
