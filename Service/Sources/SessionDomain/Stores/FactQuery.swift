/// The rows that an intent needs. Each property asks for one kind of row; the default asks for nothing.
///
/// Some rows depend on others, such as the user of a session. A SQL store reads them with joins and sub-selects.
package struct FactQuery: Sendable, Equatable {
    /// The app that all rows belong to. `nil` only for management keys, which belong to no app.
    package var app: AppID?

    /// The budget that the intent spends. All its counters are compared. `Facts.failures` names those at their limit.
    package var budget: BudgetSelector?
    /// The settings of the app.
    package var settings = false
    /// The id of a step-up challenge.
    package var challenge: String?
    package var session: SessionSelector?
    package var verification: VerificationSelector?
    package var user: UserSelector?

    /// The password hash of the user found.
    package var passwordHash = false
    /// The grants of the user found whose session is live at this time, those of other sessions included.
    package var grants: Timestamp?
    /// The sessions of the user found that are live at this time.
    package var liveSessions: Timestamp?
    /// The live sessions of the user found, without those that were used last.
    package var surplusSessions: SurplusSelector?

    /// The id of a session whose challenges are wanted, those that are redeemed left out.
    package var unredeemedChallenges: String?
    /// The users that have any of these identifiers, or this external id.
    package var owners: OwnerSelector?
    /// The signing keys of one purpose.
    package var signingKeys: StoredSigningKey.Purpose?
    /// All management keys, those of all apps included.
    package var managementKeys = false
    /// All apps. A store that locks rows makes other intents that ask for them wait.
    package var apps = false
    /// The id of a webhook.
    package var webhook: String?
    /// The number of webhooks of the app.
    package var webhookCount = false
    /// The pending deliveries of `webhook` that are due.
    package var dueDeliveries: DueSelector?
    package var message: MessageSelector?
    /// The rows that the intent reads and never changes, and that others may read at the same time. A store that locks rows
    /// makes other intents wait for all rows that are not in this set.
    package var shared: Set<SharedRow> = []

    package init(app: AppID?, _ ask: (inout FactQuery) -> Void = { _ in }) {
        self.app = app
        ask(&self)
    }

    package enum SharedRow: Sendable {
        case settings, user
    }

    package enum SessionSelector: Sendable, Equatable {
        case id(String)
        /// The session of the challenge found.
        case ofChallenge
    }

    package enum VerificationSelector: Sendable, Equatable {
        case tokenHash(String)
        /// The verification filed under the `verificationKey` of the challenge found.
        case ofChallenge
    }

    package enum UserSelector: Sendable, Equatable {
        case id(String)
        /// The user that has the identifier, without the profile: decoding one would show in the time of a login that the
        /// user exists. An intent must not write this user back.
        case identifier(CanonicalIdentifier)
        /// The user of the session found.
        case ofSession
        /// The user that has the identifier of the verification found, without the profile.
        ///
        /// `nil` if the code expired by `now` or has that many checks: a check that is rejected anyway takes the same time
        /// for every identifier.
        case ofVerification(now: Timestamp, maximumChecks: Int)
    }

    /// The counters of a call for one identifier. If the call names a device, the store first reads `User.loginEpoch` of the
    /// device's user, if this user has the identifier, and reports `KnownDevice.standing(atEpoch:)` as
    /// `Facts.deviceStanding`.
    package struct BudgetSelector: Sendable, Equatable {
        package enum Subject: Sendable, Equatable {
            case identifier(CanonicalIdentifier)
            /// The identifier of the verification found. Without one, no counter is read. The verification is read before
            /// the counters, and the user after them.
            case ofVerification
        }

        package let budget: CallBudget
        package let subject: Subject

        package init(_ budget: CallBudget, for subject: Subject) {
            self.budget = budget
            self.subject = subject
        }
    }

    package struct CounterSelector: Sendable, Equatable {
        package let key: CounterKey
        package let limit: RateLimit
        package let now: Timestamp

        package init(_ key: CounterKey, limit: RateLimit, now: Timestamp) {
            self.key = key
            self.limit = limit
            self.now = now
        }
    }

    package struct OwnerSelector: Sendable, Equatable {
        package let identifiers: [CanonicalIdentifier]
        package let externalID: String?

        package init(identifiers: [CanonicalIdentifier], externalID: String?) {
            self.identifiers = identifiers
            self.externalID = externalID
        }
    }

    package struct SurplusSelector: Sendable, Equatable {
        package let now: Timestamp
        /// The number of sessions, used last, that are left out.
        package let keeping: Int

        package init(now: Timestamp, keeping: Int) {
            self.now = now
            self.keeping = keeping
        }
    }

    package enum MessageSelector: Sendable, Equatable {
        case id(String)
        /// The present state of a message that was read before. What claims and attempts never change is not read again.
        case state(of: QueuedMessage)
        /// The message of a lane that is due longest.
        case due(in: MessageLane, at: DueTimes)
    }

    package struct DueSelector: Sendable, Equatable {
        package let now: Timestamp
        package let limit: Int

        package init(now: Timestamp, limit: Int) {
            self.now = now
            self.limit = limit
        }
    }
}
