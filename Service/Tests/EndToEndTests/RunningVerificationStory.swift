import PreludeSession
import PreludeSessionTesting
import SessionDomain
import Testing

@Suite("A stranger's running verification", .eachStore)
struct RunningVerificationStory {
    private static let known = "ada@example.com"

    /// What a stranger sees of a verification, until it is used up, and then of another code.
    private func answers(
        of client: PreludeSessionClient, _ world: ServiceWorld
    ) async throws -> [String] {
        var answers: [String] = []
        for _ in 1...6 {
            do {
                _ = try await client.checkOTP("000000")
                answers.append("right")
            } catch let error as PreludeSessionError {
                answers.append(error.withoutRequestID)
            }
        }
        world.clock.advance(seconds: 30)
        do {
            try await client.resendOTP()
            answers.append("sent")
        } catch let error as PreludeSessionError {
            answers.append(error.withoutRequestID)
        }
        return answers
    }

    @Test(
        "It has the same answers for an unknown identifier as after the owner has ended all begun logins (O9)",
        arguments: ["others", "all", "password"])
    func ended(by end: String) async throws {
        var seen: [[String]] = []
        for address in [Self.known, "unknown@example.com"] {
            let world = try await ServiceWorld()
            let owner = try await world.signedIn(Self.known)
            world.clock.advance(seconds: 3600)
            let stranger = try world.client()
            try await stranger.startOTPLogin(
                StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: address)))
            switch end {
            case "others": try await owner.revokeSessions(.others)
            case "all": try await owner.revokeSessions(.all)
            default:
                let mail = try CanonicalIdentifier(type: "email_address", value: Self.known)
                let user = try await world.service.users.user(with: mail, app: world.appID)
                _ = try await world.service.users.setPassword(
                    "staple crystal lantern", user: user.id, app: world.appID, ending: nil)
            }
            seen.append(try await answers(of: stranger, world))
        }
        #expect(seen[0] == seen[1])
        #expect(seen[0].last == "sent")
    }
}

extension PreludeSessionError {
    /// The error without the id of its request, which is new in each answer.
    fileprivate var withoutRequestID: String {
        String(describing: self).replacing(#/request=[^ \]]*/#, with: "request")
    }
}
