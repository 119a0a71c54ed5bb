import Testing

@testable import SessionDelivery

@Suite("The library for mail")
struct MailLibraryTests {
    @Test("A missing libcurl is reported with the name of the file and the remedy")
    func missing() throws {
        let problem = try #require(MailLibrary.problem(loading: "libcurl.so.of-no-system"))
        #expect(problem.hasPrefix("needs libcurl, which cannot be loaded: "))
        #expect(problem.contains("libcurl.so.of-no-system") && problem.hasSuffix("install libcurl4"))
    }

    @Test("A system with libcurl has no problem, also after a failure")
    func installed() {
        _ = MailLibrary.problem(loading: "libcurl.so.of-no-system")
        #expect(MailLibrary.problem() == nil)
        #expect(CurlHandle() != nil)
    }
}
