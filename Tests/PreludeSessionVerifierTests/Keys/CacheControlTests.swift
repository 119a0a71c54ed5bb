import Foundation
import Testing

@testable import PreludeSessionVerifier

@Suite("Cache-Control")
struct CacheControlTests {
    @Test(
        "The directive max-age is read at any position (RFC 9111 §5.2.2.1)",
        arguments: ["max-age=60", "public, max-age=60", "Max-Age=60, must-revalidate", #"max-age="60""#, "max-age=60 "])
    func found(_ header: String) { #expect(CacheControl.maxAge(header) == 60) }

    @Test(
        "The Age of a cached response is subtracted from max-age (RFC 9111 §4.2.3)",
        arguments: [(nil, 60.0), ("0", 60), ("45", 15), ("60", 0), ("90", 0), ("x", 60)])
    func age(_ age: String?, _ left: Double) { #expect(CacheControl.remaining("max-age=60", age: age) == left) }

    @Test(
        "A max-age that is not a number of seconds is ignored",
        arguments: [nil, "", "no-store", "max-age", "max-age=", "max-age=-1", "max-age=+1", "max-age=x", "s-maxage=60"])
    func none(_ header: String?) { #expect(CacheControl.maxAge(header) == nil) }
}
