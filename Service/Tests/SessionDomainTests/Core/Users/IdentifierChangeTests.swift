import SessionDomain
import Testing

@Suite("Identifiers of a user")
struct IdentifierChangeTests {
    private func facts(_ user: User, failed: FailedGuard...) -> FoundRows {
        FoundRows { facts in
            facts.user = user
            for failure in failed { facts.failures.add(failure) }
        }
    }

    private func add(_ identifier: CanonicalIdentifier, to user: User, failed: FailedGuard...) throws
        -> Decision<UpdateUserOutcome>
    {
        AddIdentifier(identifier, in: try TestApp.change(of: user.id)).decide(
            FoundRows { facts in
                facts.user = user
                for failure in failed { facts.failures.add(failure) }
            })
    }

    private func numbers(_ count: Int) throws -> [CanonicalIdentifier] {
        try (0..<count).map { try TestApp.phone("+1415555010\($0)") }
    }

    @Test("An identifier is added after those that the user has")
    func added() throws {
        let (user, phone) = (try TestApp.user([try TestApp.mail()]), try TestApp.phone())
        var next = user
        next.identifiers.append(phone)
        next.updatedAt = now
        #expect(
            try add(phone, to: user)
                == Decision(
                    .updated(next),
                    [
                        .insertIdentifier(phone, of: user), .replaceUser(user, with: next),
                        .append(try TestApp.events().identifierCreated(phone, of: user.id)),
                    ]))
    }

    @Test("Adding an identifier that the user has changes nothing, even at the limit")
    func addedTwice() throws {
        let user = try TestApp.user(try numbers(10))
        #expect(try add(user.identifiers[3], to: user) == Decision(.updated(user)))
    }

    @Test("An identifier of another user is taken")
    func taken() throws {
        let (user, phone) = (try TestApp.user(), try TestApp.phone())
        #expect(try add(phone, to: user, failed: .taken(.identifier(phone))) == Decision(.taken))
    }

    @Test("A user has at most 10 identifiers")
    func full() throws {
        #expect(try add(try TestApp.mail(), to: try TestApp.user(try numbers(10))) == Decision(.full))
        #expect(try add(try TestApp.mail(), to: try TestApp.user(try numbers(9))).outcome != .full)
    }

    @Test("A removed identifier ends its codes, and the user's step-ups and begun logins (O12)")
    func removed() throws {
        let (mail, phone) = (try TestApp.mail(), try TestApp.phone())
        let user = try TestApp.user([mail, phone])
        var next = user
        next.identifiers = [phone]
        next.updatedAt = now
        let intent = RemoveIdentifier(mail, in: try TestApp.change(of: user.id))
        #expect(
            intent.decide(facts(user))
                == Decision(
                    .updated(next),
                    [
                        .deleteIdentifier(mail, of: user), .endVerifications(of: mail, app: user.appID),
                        .forgetIdentifier(mail, app: user.appID),
                        .clearCounters(prefixes: [CounterKey.prefixOfMarks(at: mail)], app: user.appID),
                    ] + CounterKey.all(of: .anonymous(mail)).map { .clearCounter($0, app: user.appID) } + [
                        .deleteStepUps(of: user), .voidLogins(of: user), .replaceUser(user, with: next),
                        .append(try TestApp.events().identifierDeleted(mail, of: user.id)),
                    ]))
        #expect(intent.decide(facts(next)) == Decision(.updated(next)))
    }
}
