import NIOCore

/// Ten refreshes, then one login, again and again.
final class Mixed: Operation {
    private let refresh: Refresh
    private let login: OTPLogin
    private var count: Int
    private var current: any Operation

    /// - Parameter offset: Connections with different offsets do not sign in at the same time.
    init(refresh: Refresh, login: OTPLogin, offset: Int) {
        self.refresh = refresh
        self.login = login
        count = offset
        current = refresh
    }

    var name: String { current.name }

    func begin() throws -> ByteBuffer? {
        count += 1
        current = count % 11 == 0 ? login : refresh
        return try current.begin()
    }

    func receive(_ response: Message) throws -> Step { try current.receive(response) }
    func enter(code: String) throws -> ByteBuffer { try current.enter(code: code) }
    func prepare() throws { try refresh.prepare() }
}
