internal import SessionDomain

/// The series whose labels are known before anything happens.
///
/// They have the value 0 from the start. A series that begins with its first event begins with 1, and Prometheus sees no
/// increase: an alert would miss the event.
enum KnownSeries {
    typealias Series = (metric: MetricDescription, values: [String])

    /// The method of a login whose challenge is of an older version.
    static let unknownMethod = "unknown"

    static var all: [Series] { refusals + logins + limits + notices + messages }

    private static var refusals: [Series] {
        RefusalReason.all.flatMap { reason -> [Series] in
            let series = (MetricCatalogue.refusals, [reason.name])
            return reason.isAboutProof ? [series, (MetricCatalogue.rejectedProofs, [reason.name])] : [series]
        }
    }

    private static var logins: [Series] {
        let outcomes = [LoginResult.succeeded] + LoginFailure.allCases.map(LoginResult.failed)
        return (LoginMethod.allCases.map(\.rawValue) + [unknownMethod]).flatMap { method in
            outcomes.map { (MetricCatalogue.logins, [method, $0.name]) }
        }
    }

    private static var limits: [Series] {
        LimitName.allCases.flatMap { limit -> [Series] in
            let series = (MetricCatalogue.limits, [limit.rawValue])
            return limit.isOfMessages ? [series, (MetricCatalogue.budgets, [limit.rawValue])] : [series]
        }
    }

    private static var notices: [Series] {
        ServiceNotice.Kind.allCases.map { (MetricCatalogue.notices, [$0.rawValue]) }
    }

    private static var messages: [Series] { OTPLoginConfig.Channel.allCases.flatMap(messages) }

    private static func messages(_ channel: OTPLoginConfig.Channel) -> [Series] {
        let routes = channel.routeKinds.map(\.rawValue)
        let failures = routes.flatMap { route in SendingFailure.Stage.allCases.map { [route, $0.rawValue] } }
        let attempts = failures + [["", MessageFailure.configurationStage]]
        let ends = attempts + [["", MessageFailure.expiredStage]]
        return attempts.map { (MetricCatalogue.attemptsFailed, [channel.rawValue] + $0) }
            + MessagePurpose.allCases.flatMap { purpose -> [Series] in
                let labels = [channel.rawValue, purpose.rawValue]
                return [(MetricCatalogue.messagesQueued, labels)]
                    + routes.map { (MetricCatalogue.messagesSent, labels + [$0]) }
                    + ends.map { (MetricCatalogue.messagesFailed, labels + $0) }
            }
    }
}
