/// The forms about operators, in the table of `ActionTests`.
enum OperatorActions {
    private static let person = "/console/operators/{operator}"

    /// Forms that a session with a management key cannot send.
    static let needAccount: Set = ["/console/account/password"]

    /// The forms that an operator with the role `support` may send. A viewer may send the last two only.
    static let ofSupport: Set = [
        "/users/new", "/users/*/external-id", "/users/*/identifiers", "/users/*/identifiers/remove", "/users/*/profile",
        "/users/*/password", "/users/*/limits", "/limits/clear", "/limits/block",
        "/limits/unblock", "/users/*/status", "/users/*/sessions/*/revoke",
        "/users/*/passkeys/*/remove", "/users/*/sessions/*/revoke-others", "/users/*/sessions/revoke-all",
        "/webhooks/*/deliveries/*/resend",
    ]
    static let ofViewer: Set = ["/console/account/password", "/console/sign-out"]

    static let all: [ActionTests.Action] = [
        .init(
            "/console/operators/new", "address=op%40example.com&role=support&app=",
            ["management.app.created", "user.created", "management.operator.created"], as: "operator"),
        .init(person + "/role", "role=viewer&app=testapp&confirmed=on", ["management.operator.updated"]),
        .init(person + "/sessions/{operator_session}/revoke", "", ["user.session.revoked"]),
        .init(person + "/limits", "", ["user.limits.cleared"]),
        .init(person + "/status", "status=suspended", ["user.status.updated"]),
        .init(person + "/remove", "", ["management.operator.removed"]),
        .init("/console/account/password", "password=staple+of+the+better+kind", ["user.password.updated"]),
    ]
}
