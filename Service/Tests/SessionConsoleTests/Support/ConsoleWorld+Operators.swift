import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import SessionHTTP

@testable import SessionConsole

extension ConsoleWorld {
    static let password = "staple of the better kind"

    /// Creates the account of an operator.
    func invite(
        _ role: OperatorRole = .admin, address: String = "grace@example.com", app: AppID? = nil, password: String? = nil
    ) async throws -> ConsoleOperator {
        try await service.operators.invite(address, role: role, app: app, password: password)
    }

    /// A browser in which an operator has signed in with a code.
    func browser(of person: ConsoleOperator) async throws -> Browser {
        var browser = Browser(world: self, host: "console.test")
        let page = try await browser.askForCode(person.name)
        let answer = try await browser.enter(try await code(for: person.name), of: page)
        guard answer.status == 303 else { throw NotSignedIn(status: answer.status) }
        return browser
    }

    /// Invites an operator who signs in.
    func signedIn(
        _ role: OperatorRole = .admin, address: String = "grace@example.com", app: AppID? = nil
    ) async throws -> (browser: Browser, person: ConsoleOperator) {
        let person = try await invite(role, address: address, app: app)
        return (try await browser(of: person), person)
    }

    /// The last code that was sent to an address.
    func code(for address: String) async throws -> String {
        try await service.messages.deliverDue()
        await service.messages.settle()
        return try world.code(for: address)
    }
}

extension Browser {
    @discardableResult
    mutating func askForCode(_ address: String) async throws -> Answer {
        try await post("/console/sign-in", "address=" + Self.encoded(address) + "&password=", addingToken: false)
    }

    @discardableResult
    mutating func signIn(_ address: String, password: String) async throws -> Answer {
        try await post(
            "/console/sign-in", "address=\(Self.encoded(address))&password=\(Self.encoded(password))",
            addingToken: false)
    }

    /// Enters a code in the page that asks for it.
    @discardableResult
    mutating func enter(_ code: String, of page: Answer) async throws -> Answer {
        let address = Self.encoded(page.value("address") ?? "")
        return try await post(
            "/console/sign-in", "address=\(address)&verification=\(page.value("verification") ?? "")&code=\(code)",
            addingToken: false)
    }

    /// Sends the form of a page that asks for a confirmation, with a proof.
    @discardableResult
    mutating func confirm(_ page: Answer, at path: String, _ proof: String) async throws -> Answer {
        var form = "confirm_form=\(page.value("confirm_form") ?? "")&\(proof)"
        if let verification = page.value("confirm_verification") { form += "&confirm_verification=" + verification }
        return try await post(path, form)
    }

    private static func encoded(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("+", with: "%2B").replacing("@", with: "%40").replacing(
            "&", with: "%26"
        )
        .replacing(" ", with: "+")
    }
}

extension Browser.Answer {
    /// The value of the first hidden field with a name.
    func value(_ name: String) -> String? {
        guard let start = text.firstRange(of: "name=\"\(name)\" value=\"") else { return nil }
        return String(text[start.upperBound...].prefix { $0 != "\"" })
    }
}
