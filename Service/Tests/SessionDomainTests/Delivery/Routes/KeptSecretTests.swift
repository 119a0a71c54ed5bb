import Testing

@testable import SessionDomain

@Suite("Secrets of routes that are set again without them")
struct KeptSecretTests {
    private static func mail(_ host: String = "mail.example.com", from: String = "a@example.com") -> RouteSettings {
        RouteSettings(kind: .smtp, host: host, username: "shop", from: from)
    }

    /// The secrets that new routes keep, in their order.
    private func kept(_ stored: [(RouteSettings, String?)], by new: [RouteSettings]) -> [String?] {
        var config = DeliveryConfig(at: now)
        config.email = stored.map { .init(settings: $0.0, sealedSecret: $0.1) }
        return new.enumerated().map { index, route in
            let before = new.prefix(index).filter { $0.hasSameDestination(as: route) }.count
            return config.secret(for: route, after: before, by: .email)
        }
    }

    @Test("Routes to one destination keep their own secrets")
    func sameDestination() {
        let (first, second, other) = (Self.mail(), Self.mail(from: "b@example.com"), Self.mail(from: "c@example.com"))
        let stored = [(first, "1"), (second, "2")] as [(RouteSettings, String?)]
        #expect(kept(stored, by: [first, second]) == ["1", "2"])
        #expect(kept(stored, by: [second, first]) == ["2", "1"])
        #expect(kept(stored, by: [first, other]) == ["1", "2"])
        #expect(kept([(first, "1"), (first, "2")], by: [first, first]) == ["1", "2"])
        #expect(kept([(first, "1")], by: [first, other]) == ["1", "1"])
    }

    @Test("Another destination, another channel and a route without a secret give none")
    func others() {
        #expect(kept([(Self.mail(), "1")], by: [Self.mail("other.example.com")]) == [nil])
        #expect(kept([(Self.mail(), nil)], by: [Self.mail()]) == [nil])
        #expect(kept([], by: [Self.mail(), Self.mail()]) == [nil, nil])
        var config = DeliveryConfig(at: now)
        config.sms = [.init(settings: RouteSettings(kind: .prelude), sealedSecret: "1")]
        #expect(config.secret(for: RouteSettings(kind: .prelude), after: 0, by: .email) == nil)
    }
}
