import Foundation
import FuzzReaders
import HTTPTypes
import Hummingbird
import NIOCore
import SessionDomain
import Testing

@testable import PreludeSessionTesting
@testable import SessionHTTP

@Suite("Mutated cookies")
struct CookieFuzzTests {
    @Test("A cookie is what stands between its name and the next semicolon, whatever else is sent")
    func cookies() async throws {
        let world = try await ServiceWorld(clock: TestClock()) { _ in }
        let cookies = AppCookies(app: try await world.service.directory.app(world.app))
        let name = "__Host-refresh_testapp="
        let target = FuzzTarget(
            text: "cookies", seeds: ["\(name)abc.def; other=1", "a=b; \(name)x", "refresh_testapp=x", "=; ;"],
            words: [name, "refresh_testapp=", ";", "=", " ", "\"", ","]
        ) { text in
            var fields = HTTPFields()
            fields.append(HTTPField(name: .cookie, value: text))
            let sent = fields[values: .cookie].first ?? ""
            let request = Request(
                head: HTTPRequest(method: .get, scheme: "https", authority: "x", path: "/", headerFields: fields),
                body: RequestBody(buffer: ByteBuffer()))
            let read = cookies.refreshToken(in: request)
            let expected = sent.components(separatedBy: ";").map { pair in pair.drop { $0 == " " } }
                .first { $0.utf8.starts(with: name.utf8) }?.dropFirst(name.count)
            try FuzzTarget.require(read == expected.map(String.init), "a cookie is read as another")
            return read != nil
        }
        let told = try target.run(seed: 1) { $0 < 1000 }
        #expect(told.accepted > 30)
    }
}
