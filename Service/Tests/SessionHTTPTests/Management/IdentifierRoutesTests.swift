import Foundation
import HTTPTypes
import SessionDomain
import SessionTokens
import Testing

@Suite("Identifiers in the management API")
struct IdentifierRoutesTests {
    /// An earlier version accepted these addresses. Each has a character that can be read as an ASCII character.
    @Test(
        "An address that is rejected as a new one can still be found and removed",
        arguments: [("ſam@example.com", "ſam@example.com"), ("Strauß@example.com", "strauß@example.com")])
    func storedEarlier(typed: String, canonical: String) async throws {
        let world = try await EdgeWorld()
        let app = try TestApp.id()
        let stored = CanonicalIdentifier(type: .emailAddress, canonical: canonical, value: typed)
        let phone = try CanonicalIdentifier(type: "phone_number", value: "+14155550100")
        let user = try await world.service.users.create(app: app, identifiers: [stored, phone])
        let (headers, path) = (try await world.operatorHeaders(app: app), "/v2/session/apps/testapp/users")
        let value = try #require(typed.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let query = path + "?identifier_type=email_address&identifier_value=" + value
        let found = try await world.call(.get, query, headers)
        #expect(found.status == 200 && found.text.contains(user.id), "\(found.text)")
        let json = #"{"type": "email_address", "value": "\#(typed)"}"#
        let identifiers = path + "/\(user.id)/identifiers"
        #expect(try await world.call(.delete, identifiers, headers, json: json).status == 200)
        #expect(try await world.service.users.user(user.id, app: app).identifiers == [phone])
        #expect(try await world.call(.get, query, headers).status == 404)
        let added = try await world.call(.post, identifiers, headers, json: json)
        #expect(added.status == 400 && added.code == "invalid_identifier")
    }
}
