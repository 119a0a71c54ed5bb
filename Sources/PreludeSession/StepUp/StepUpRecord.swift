internal import Foundation

/// The record of open challenges, so that they survive a relaunch. It contains no answers of users.
struct StepUpRecord: VersionedRecord, Equatable {
    static let recordName = RecordName.stepUps

    struct Entry: Codable, Sendable, Equatable {
        let status: String
        let token: String
        let scope: String
        let sessionID: String?
    }

    var version = StepUpRecord.currentVersion
    private var entries: [Entry]

    init(_ challenges: [StepUpChallenge]) {
        entries = challenges.compactMap { challenge in
            challenge.ticket.map { ticket in
                Entry(
                    status: challenge.status.rawValue, token: ticket.token.value, scope: challenge.requestedScope,
                    sessionID: ticket.sessionID)
            }
        }
    }

    /// The stored challenges.
    func challenges(endpoint: String) -> [StepUpChallenge] {
        entries.compactMap { entry in
            StepUpStatus(rawValue: entry.status).flatMap {
                StepUpChallenge(
                    token: entry.token, status: $0, scope: entry.scope, sessionID: entry.sessionID,
                    endpoint: endpoint)
            }
        }
    }

    /// The challenges of a record; none if the record cannot be read. They live minutes and can be requested again.
    static func challenges(in data: Data, endpoint: String) -> [StepUpChallenge] {
        RecordContent<StepUpRecord>(data).challenges(endpoint: endpoint)
    }
}

extension RecordContent<StepUpRecord> {
    /// The stored challenges; none if the record cannot be read.
    func challenges(endpoint: String) -> [StepUpChallenge] {
        if case .valid(let record) = self { record.challenges(endpoint: endpoint) } else { [] }
    }
}
