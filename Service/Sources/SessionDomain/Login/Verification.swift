internal import Crypto
internal import Foundation
package import SessionTokens

/// A running OTP verification: codes that were sent to an identifier.
package struct Verification: Sendable, Equatable {
    /// SHA-256 of the verification token, in base64url. The token itself is not stored.
    package let tokenHash: String
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    /// The login configuration that sends the code. Empty for a step of a step-up.
    package let loginConfigID: String
    /// PKCE challenge that finalize must answer (RFC 7636).
    package let codeChallenge: String?
    /// No code is sent and none is accepted: the identifier may not sign in, and the caller must not learn that.
    package let isSuppressed: Bool
    /// The newest code.
    package var code: IssuedCode
    /// The code before it, which is accepted until its own expiry.
    package var previousCode: IssuedCode?
    /// Attempts made, at both codes together.
    package var checks: Int
    /// Messages so far.
    package var sends: Int
    /// Who paid for these messages: one for each message and network.
    package var payers: [Payer]
    package var lastSentAt: Timestamp
    package let createdAt: Timestamp

    /// A network that paid for a message.
    package struct Payer: Sendable, Equatable {
        /// `CountedNetwork.digest`.
        package let network: String
        /// The end of the window that counted the message.
        package let until: Timestamp

        package init(network: String, until: Timestamp) {
            self.network = network
            self.until = until
        }

        /// The form in both stores: `network/seconds`, separated by spaces. No digest has either character.
        package static func text(_ payers: [Payer]) -> String {
            payers.map { "\($0.network)/\($0.until.seconds)" }.joined(separator: " ")
        }

        package static func all(in text: String) -> [Payer] {
            text.split(separator: " ").compactMap { payer in
                let parts = payer.split(separator: "/")
                guard parts.count == 2, let seconds = Int64(parts[1]) else { return nil }
                return Payer(network: String(parts[0]), until: Timestamp(seconds: seconds))
            }
        }
    }

    package init(
        tokenHash: String, appID: AppID, identifier: CanonicalIdentifier, loginConfigID: String,
        codeChallenge: String?, isSuppressed: Bool = false, code: IssuedCode, previousCode: IssuedCode? = nil,
        checks: Int = 0, sends: Int = 1, payers: [Payer] = [], lastSentAt: Timestamp, createdAt: Timestamp
    ) {
        self.tokenHash = tokenHash
        self.appID = appID
        self.identifier = identifier
        self.loginConfigID = loginConfigID
        self.codeChallenge = codeChallenge
        self.isSuppressed = isSuppressed
        self.code = code
        self.previousCode = previousCode
        self.checks = checks
        self.sends = sends
        self.payers = payers
        self.lastSentAt = lastSentAt
        self.createdAt = createdAt
    }

    /// When the verification ends. Its code may have expired before, and then another one can be sent.
    package func expiresAt(_ limits: LimitSettings) -> Timestamp {
        isAnswered ? code.expiresAt : max(code.expiresAt, createdAt + limits.verificationLifetime)
    }

    /// Whether the right code was checked, in a login with a `code_challenge`. The code is not sent again, so its seed is gone.
    package var isAnswered: Bool { codeChallenge != nil && code.seed == nil }

    /// When the right code was checked first. `nil` before.
    package var answeredAt: Timestamp? { isAnswered ? code.expiresAt - ChallengeClaims.lifetime : nil }

    /// The verification after its right code, if the login has a `code_challenge`: the answer may be lost. It lives as long as
    /// the challenge, and accepts only the code that was right. Finalize deletes it.
    package func answered(with right: IssuedCode, at now: Timestamp) -> Verification {
        if isAnswered { return self }
        var next = self
        next.code = IssuedCode(hash: right.hash, seed: nil, expiresAt: now + ChallengeClaims.lifetime)
        next.previousCode = nil
        return next
    }

    /// The codes that are accepted at this time: at most two.
    package func validCodes(at now: Timestamp) -> [IssuedCode] {
        [code, previousCode].compactMap { $0 }.filter { $0.expiresAt > now }
    }

    /// The verification after another message.
    ///
    /// The message has the same code while half of the code's life is left, so that messages that overtake each other
    /// contain the same. Later it has a new code, and the old one is accepted beside it. Attempts count for both together.
    /// If no attempts are left or both codes have expired, they are void, and the new one begins with all its attempts.
    package func resent(_ new: IssuedCode, limits: LimitSettings, at now: Timestamp) -> Verification {
        var next = self
        next.sends += 1
        next.lastSentAt = now
        let isUsable = checks < limits.checksPerCode && code.expiresAt > now
        let life = code.expiresAt.milliseconds - now.milliseconds
        if isUsable, code.seed != nil, 2 * life >= Int64(limits.codeLifetime) * 1000 { return next }
        next.code = new
        next.previousCode = isUsable ? code.superseded : nil
        if !isUsable { next.checks = 0 }
        return next
    }
}

/// The opaque handle of one verification: 256 random bits that only its client knows.
package enum VerificationToken {
    static func make(environment: ServiceEnvironment) -> String {
        Base64URL.encode(environment.randomBytes(32))
    }

    /// The hash that is stored instead of the token.
    static func hash(_ token: String) -> String {
        Base64URL.encode(SHA256.hash(data: Data(token.utf8)))
    }
}

/// Starts a verification and queues its code.
///
/// Known, unknown and blocked identifiers cause the same reads and writes, so the answer takes the same time.
package struct StartVerification: Intent {
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    package let signUp: Bool
    /// Whether users with a passkey sign in with codes, too.
    package let codesWithPasskey: Bool
    package let budget: CallBudget
    package let draft: MessageDraft
    package let now: Timestamp
    /// Reports a limit.
    package let events: EventFactory?
    /// Makes the row, given the identifier that the code is sent to, and whether it may not sign in.
    package let verification: @Sendable (_ recipient: CanonicalIdentifier, _ isSuppressed: Bool) -> Verification

    package init(
        appID: AppID, identifier: CanonicalIdentifier, signUp: Bool, codesWithPasskey: Bool = true,
        budget: CallBudget, draft: MessageDraft,
        now: Timestamp, events: EventFactory? = nil,
        verification: @escaping @Sendable (_ recipient: CanonicalIdentifier, _ isSuppressed: Bool) -> Verification
    ) {
        self.appID = appID
        self.identifier = identifier
        self.signUp = signUp
        self.codesWithPasskey = codesWithPasskey
        self.budget = budget
        self.draft = draft
        self.now = now
        self.events = events
        self.verification = verification
    }

    package struct Facts: Sendable {
        let standing: KnownDevice.Standing
        let user: User?
        let failures: GuardFailures
    }

    package var reads: Read<Facts> {
        Read(
            app: appID, .budget(budget, for: .identifier(identifier)), .user(.identifier(identifier)), .failures,
            as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<StartVerificationOutcome> {
        // What was typed may reach another mailbox than the identifier of the user, although both compare as equal.
        let recipient = facts.user?.identifiers.first { $0 == identifier } ?? identifier
        let subject = LoginSubject(recipient, userID: facts.user?.id)
        if let limit = budget.reached(at: identifier, device: facts.standing, facts.failures) {
            let report =
                events?.loginLimited(limit, LoginMethod(codeTo: identifier.type), of: subject, facts.failures) ?? []
            return Decision(.limited(limit.reported(by: report)), report)
        }
        // A user that may not sign in gets a code, too, and learns the status by it.
        let needsPasskey = facts.user?.needsPasskey(ifCodesWithPasskey: codesWithPasskey) == true
        let isSuppressed = needsPasskey || (facts.user == nil && !signUp)
        let limit = budget.withholds(
            at: identifier, device: facts.standing, hasUser: facts.user != nil, facts.failures)
        let withheld: LoginFailure? =
            needsPasskey ? .passkeyRequired : isSuppressed ? .unknownUser : limit.map { _ in .strangerLimit }
        var started = verification(recipient, isSuppressed)
        started.payers = budget.payers(device: facts.standing)
        let message = draft.code(of: started, for: subject, withheld: withheld, at: now)
        // A code that is withheld is counted and queued, too: the writes do not show that nothing is sent.
        return Decision(
            .started(started, message),
            budget.counted(
                at: identifier, device: facts.standing, hasUser: facts.user != nil, facts.failures, app: appID)
                + budget.reportsOfShare(at: identifier, device: facts.standing, facts.failures, events)
                + [.insertVerification(started), .insertMessage(message)])
    }
}

package enum StartVerificationOutcome: Sendable, Equatable {
    case started(Verification, QueuedMessage)
    case limited(ReachedLimit)
}

/// A code that was sent, as it is stored: what recognizes it, and what derives it again.
package struct IssuedCode: Sendable, Equatable {
    /// Keyed hash of the code.
    package let hash: String
    /// `nil` for a code that is not sent again.
    package let seed: CodeSeed?
    package let expiresAt: Timestamp

    package init(hash: String, seed: CodeSeed?, expiresAt: Timestamp) {
        self.hash = hash
        self.seed = seed
        self.expiresAt = expiresAt
    }

    /// The code beside a newer one. It is still accepted, and not sent again.
    var superseded: IssuedCode { IssuedCode(hash: hash, seed: nil, expiresAt: expiresAt) }
}

/// What derives a code together with a secret key of the service. Without the key it reveals nothing about the code.
package struct CodeSeed: Sendable, Equatable, Codable {
    /// `Verification.tokenHash` of the verification that the code belongs to.
    package let verification: String
    /// A random number of the code. A verification that starts again under the same key gets another code by it.
    package let number: String
    /// Digits of the code.
    package let size: Int
    /// The id of the master key.
    package let keyID: String

    package init(verification: String, number: String, size: Int, keyID: String) {
        self.verification = verification
        self.number = number
        self.size = size
        self.keyID = keyID
    }
}

extension CodeSeed: JSONWritable, JSONObjectReadable {
    package init(_ object: JSONObject) throws {
        self.init(
            verification: try object.string("verification"), number: try object.string("number"),
            size: Int(try object.integer("size")), keyID: try object.string("keyID"))
    }

    package func write(into json: inout JSONWriter) {
        json.member("keyID", keyID)
        json.member("number", number)
        json.member("size", Int64(size))
        json.member("verification", verification)
    }
}

/// Codes that users type.
enum CodeDigits {
    /// A code of `size` decimal digits from blocks of random bytes, each value equally likely. Leading zeros count, so a
    /// code is a string.
    ///
    /// - Parameter block: Returns the bytes of a block, counted from 0. A code needs the first one, and rarely another.
    static func make(size: Int, block: (_ index: UInt8) -> [UInt8]) -> String {
        var digits: [UInt8] = []
        var index: UInt8 = 0
        while digits.count < size {
            // 250 is the largest multiple of 10 in a byte. Larger bytes would make low digits more likely.
            digits += block(index).filter { $0 < 250 }.map { UInt8(ascii: "0") + $0 % 10 }
            index += 1
        }
        return String(decoding: digits.prefix(size), as: UTF8.self)
    }

    /// The code as typed, without surrounding white space.
    static func entered(_ code: String) throws(Refusal) -> String {
        let entered = code.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...64).contains(entered.utf8.count) else { throw .invalidField("code", "must have 1 to 64 characters") }
        return entered
    }
}

/// Queues another message for a running verification: with the same code, or with a new one, as `Verification.resent`
/// says.
package struct ResendCode: Intent {
    package let appID: AppID
    package let tokenHash: String
    package let limits: LimitSettings
    /// The device that the caller names, if its token is valid.
    package let device: KnownDevice?
    /// The networks of the caller.
    package let networks: [CountedNetwork]
    /// A random number from 0 up to 1, see `CallBudget.draw`.
    package let draw: Double
    /// Used if a new code is needed.
    package let newCode: IssuedCode
    package let draft: MessageDraft
    /// Whether users with a passkey sign in with codes, too.
    package let codesWithPasskey: Bool
    package let now: Timestamp
    /// Reports a limit.
    package let events: EventFactory?

    package init(
        appID: AppID, tokenHash: String, limits: LimitSettings, device: KnownDevice? = nil,
        networks: [CountedNetwork] = [], draw: Double = 0, newCode: IssuedCode,
        draft: MessageDraft, codesWithPasskey: Bool = true, now: Timestamp, events: EventFactory? = nil
    ) {
        self.appID = appID
        self.tokenHash = tokenHash
        self.limits = limits
        self.device = device
        self.networks = networks
        self.draw = draw
        self.newCode = newCode
        self.draft = draft
        self.codesWithPasskey = codesWithPasskey
        self.now = now
        self.events = events
    }

    package struct Facts: Sendable {
        let verification: Verification?
        let standing: KnownDevice.Standing
        let user: User?
        let failures: GuardFailures
    }

    package var reads: Read<Facts> {
        // Also the user of one whose code has expired: the reserve of messages is for identifiers of users.
        Read(
            app: appID, .verification(tokenHash: tokenHash), .budget(budget, for: .ofVerification),
            .user(.ofVerification(now: Timestamp(seconds: 0), maximumChecks: .max)), .failures, as: Facts.init)
    }

    var budget: CallBudget {
        CallBudget(.resend, limits: limits, device: device, networks: networks, draw: draw, now: now)
    }

    package func decide(_ facts: Facts) -> Decision<ResendOutcome> {
        guard let current = facts.verification else { return Decision(.unknown) }
        switch current.resend(in: appID, newCode: newCode, limits: limits, at: now) {
        case .unknown: return Decision(.unknown)
        case .limited(let until): return Decision(.limited(until: until))
        case .send(var next):
            next.payers += budget.payers(device: facts.standing)
            let subject = LoginSubject(current.identifier, userID: facts.user?.id)
            if let limit = budget.reached(
                at: current.identifier, device: facts.standing, facts.failures)
            {
                let report =
                    events?.loginLimited(
                        limit, LoginMethod(codeTo: current.identifier.type), of: subject, facts.failures) ?? []
                return Decision(.exhausted(limit.reported(by: report)), report)
            }
            let limit = budget.withholds(
                at: current.identifier, device: facts.standing, hasUser: facts.user != nil, facts.failures)
            // The passkey may have been registered since the start.
            let needsPasskey = facts.user?.needsPasskey(ifCodesWithPasskey: codesWithPasskey) == true
            let withheld: LoginFailure? =
                needsPasskey ? .passkeyRequired : next.isSuppressed ? .codeNotSent : limit.map { _ in .strangerLimit }
            let message = draft.code(of: next, for: subject, withheld: withheld, at: now)
            return Decision(
                .send(next),
                budget.counted(
                    at: current.identifier, device: facts.standing, hasUser: facts.user != nil, facts.failures,
                    app: appID)
                    + budget.reportsOfShare(at: current.identifier, device: facts.standing, facts.failures, events)
                    + [.replaceVerification(current, with: next), .insertMessage(message)])
        }
    }
}

extension Verification {
    /// Decides whether its code is sent again, or a new one.
    ///
    /// - Parameter newCode: Used if a new code is needed.
    package func resend(
        in app: AppID, newCode: IssuedCode, limits: LimitSettings, at now: Timestamp
    ) -> ResendDecision {
        guard appID == app, expiresAt(limits) > now, !isAnswered else { return .unknown }
        guard sends < limits.sendsPerVerification else { return .limited(until: expiresAt(limits)) }
        let earliest = lastSentAt + limits.resendDelay
        guard earliest <= now else { return .limited(until: earliest) }
        return .send(resent(newCode, limits: limits, at: now))
    }
}

package enum ResendDecision: Sendable, Equatable {
    /// Store this verification, and send its newest code.
    case send(Verification)
    case limited(until: Timestamp)
    case unknown
}

package enum ResendOutcome: Sendable, Equatable {
    case send(Verification)
    /// This verification sends no code until then.
    case limited(until: Timestamp)
    /// The budget of messages is spent.
    case exhausted(ReachedLimit)
    case unknown
}
