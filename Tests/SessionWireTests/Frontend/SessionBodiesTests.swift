import SessionWire
import Testing

@Suite("Wire: sessions")
struct SessionBodiesTests {
    private let view = Golden(
        SessionView.self,
        """
        {
          "id": "ses_01jqebhswje9k8y6w5h7w2e3rt",
          "device_model": "iPhone",
          "device_type": "mobile",
          "os_version": "iOS 17.4.0",
          "country_code": "",
          "created_at": "2026-01-02T03:04:05Z",
          "last_seen_at": "2026-01-02T03:04:06Z",
          "expires_at": "2026-02-01T03:04:06Z"
        }
        """)
    private let session = SessionView(
        id: "ses_01jqebhswje9k8y6w5h7w2e3rt", deviceModel: "iPhone", deviceType: "mobile", osVersion: "iOS 17.4.0",
        countryCode: "", createdAt: "2026-01-02T03:04:05Z", lastSeenAt: "2026-01-02T03:04:06Z",
        expiresAt: "2026-02-01T03:04:06Z"
    )

    @Test("A session has all fields, and unknown values are empty")
    func oneSession() throws {
        try view.expect(session)
        try view.expectUnknownMembersTolerated()
        try view.expectRequired(
            "id", "device_model", "device_type", "os_version", "country_code", "created_at", "last_seen_at",
            "expires_at")
        try view.expectTyped(
            "id", "device_model", "device_type", "os_version", "country_code", "created_at", "last_seen_at",
            "expires_at")
    }

    @Test("GET /me/list has sessions, total, limit and offset")
    func list() throws {
        let golden = Golden(
            SessionListResponse.self, #"{"sessions": [\#(view.json)], "total": 11, "limit": 10, "offset": 10}"#)
        try golden.expect(SessionListResponse(sessions: [session], total: 11, limit: 10, offset: 10))
        try golden.expectUnknownMembersTolerated()
        try golden.expectRequired("sessions", "total", "limit", "offset")
        try golden.expectTyped("sessions", "total", "limit", "offset")
    }

    @Test("GET /me/identifiers has a list of identifiers")
    func identifiers() throws {
        let golden = Golden(
            IdentifiersResponse.self,
            """
            {"identifiers": [
              {"type": "email_address", "value": "you@example.com"}, {"type": "phone_number", "value": "+30123456789"}
            ]}
            """)
        try golden.expect(
            IdentifiersResponse(identifiers: [
                Identifier(type: "email_address", value: "you@example.com"),
                Identifier(type: "phone_number", value: "+30123456789"),
            ]))
        try golden.expectUnknownMembersTolerated()
        try golden.expectRequired("identifiers")
        try golden.expectTyped("identifiers")
    }

    @Test("POST /me/revoke has four targets")
    func revokeTargets() {
        #expect(RevokeTargetName.allCases.map(\.rawValue) == ["all", "others", "mine", "session"])
        #expect(RevokeTargetName(rawValue: "ALL") == nil)
    }
}
