import Foundation
import FuzzReaders
import HTTPTypes
import PreludeSessionTesting

/// Sends calls to the whole service, each with one mutated part, and checks the responses.
struct RouterFuzz {
    /// The part of a call that is mutated.
    enum Part: String, CaseIterable {
        case bodies = "calls: bodies"
        case headers = "calls: headers"
        case paths = "calls: paths and queries"
    }

    /// Calls per service. Accepted mutations can change a service so that later calls fail, so a new one is created.
    static let callsPerService = 500

    let part: Part
    let seed: UInt64
    private var random: SplitMix64
    private var mutator: Mutator
    private var world: FuzzedService
    private(set) var runs = 0
    private(set) var accepted: [FuzzedService.Route: Int] = [:]

    init(_ part: Part, seed: UInt64) async throws {
        self.part = part
        self.seed = seed
        random = SplitMix64(seed: seed)
        mutator = Mutator(
            seed: seed, seeds: [],
            words: [
                #""password":"#, #""challenge_token":"#, #""profile":{"#, #""identifiers":["#, "Bearer ", "DPoP ",
                "__Host-refresh_testapp=", "__Host-verification_testapp=", "limit=", "offset=", "&", "target=all",
                "application/json; charset=utf-16", "text/plain", "q=0.", "eyJhbGciOiJub25lIn0", "e30",
            ])
        world = try await FuzzedService(seed: seed)
    }

    var routes: [FuzzedService.Route] { world.routes }

    /// Sends one call to a random route.
    mutating func next() async throws {
        guard let route = world.routes.randomElement(using: &random) else { return }
        try await send(to: route)
    }

    /// - Parameter isMutated: Whether the part is mutated. If not, the first seed is sent.
    @discardableResult
    mutating func send(to route: FuzzedService.Route, isMutated: Bool = true) async throws -> HTTPResponse.Status {
        if runs > 0, runs % Self.callsPerService == 0 { world = try await FuzzedService(seed: seed &+ UInt64(runs)) }
        runs += 1
        var headers = try world.headers(of: route)
        var path = filled(route.path)
        let queries = RouteSeeds.queries["\(route)"] ?? []
        let query = (isMutated ? queries.randomElement(using: &random) : queries.first).map { substituted($0) }
        if let query { path += "?" + query }
        let seeds = (RouteSeeds.bodies["\(route)"] ?? []).map { substituted($0) }
        var body = (isMutated ? seeds.randomElement(using: &random) : seeds.first).map { Data($0.utf8) }
        if isMutated {
            switch part {
            case .bodies: body = Data(mutated(seeds.isEmpty ? ["{}"] : seeds))
            case .headers: mutateHeaders(&headers)
            case .paths: path = mutatedPath(path)
            }
        }
        let head = world.head(of: route, path: path, headers: headers)
        do {
            let answer = try await world.router.respond(to: head, body: body)
            try AnswerRules(secrets: secrets(headers), isManagement: path.hasPrefix("/v2/")).check(answer.0, answer.1)
            if answer.0.status.kind == .successful { accepted[route, default: 0] += 1 }
            try await goOn(after: route, answer, isRenewed: isMutated && runs % 100 == 0)
            return answer.0.status
        } catch let violation as FuzzTarget.Violation {
            throw FuzzTarget.Violation(
                "\(part.rawValue): \(violation), seed \(seed), run \(runs), \(route.method) \(path), headers \(headers), "
                    + "body in Base64: \((body ?? Data()).base64EncodedString())")
        }
    }

    /// Signs in again if the call ended the session.
    ///
    /// - Parameter isRenewed: Whether the session is replaced in any case.
    private mutating func goOn(
        after route: FuzzedService.Route, _ answer: FuzzedService.Answer, isRenewed: Bool
    ) async throws {
        world.clock.advance(by: .seconds(1))
        world.note(answer)
        let hasEnded = route.path.hasSuffix("/revoke") && answer.head.status.kind == .successful
        guard hasEnded || isRenewed else { return }
        do {
            try await world.signIn()
        } catch is FuzzedService.Unusable {
            world = try await FuzzedService(seed: seed &+ UInt64(runs))
        }
    }

    /// The texts that no error may contain: passwords and credentials.
    private func secrets(_ headers: [(name: String, value: String)]) -> [String] {
        let harmless: Set = ["user-agent", "content-type", "accept-language", "x-device-id", "origin"]
        let sent = headers.filter { !harmless.contains($0.name) }.map(\.value).filter { $0.utf8.count >= 16 }
        return [
            RouteSeeds.password, world.managementKey, world.accessToken, world.refreshToken, world.verificationToken,
        ].filter { !$0.isEmpty } + sent
    }

    private mutating func mutated(_ seeds: [String]) -> [UInt8] {
        mutator.seeds = seeds.map { Array($0.utf8) }
        return mutator.next()
    }

    private mutating func mutateHeaders(_ headers: inout [(name: String, value: String)]) {
        let more = [
            ("cookie", "__Host-refresh_testapp=\(world.refreshToken); a=b"), ("origin", "https://session.test"),
            ("sec-fetch-site", "same-origin"), ("authorization", "DPoP " + world.accessToken),
            ("x-forwarded-for", "203.0.113.7"), ("content-length", "5"), ("expect", "100-continue"),
        ]
        if Bool.random(using: &random), let header = more.randomElement(using: &random) { headers.append(header) }
        guard let index = headers.indices.randomElement(using: &random) else { return }
        let value = String(decoding: mutated([headers[index].value]), as: UTF8.self)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: headers.append((headers[index].name, value))
        case 1: headers.remove(at: index)
        default: headers[index].value = value
        }
    }

    /// Mutates the query or one part of the path, rarely all of it.
    private mutating func mutatedPath(_ path: String) -> String {
        var parts = path.split(separator: "?", maxSplits: 1).map(String.init)
        if parts.count == 2, Bool.random(using: &random) {
            parts[1] = mutatedURL(parts[1])
            return parts.joined(separator: "?")
        }
        var names = parts[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let index = names.indices.dropFirst().randomElement(using: &random), index > 3 else {
            return "/" + mutatedURL(path)
        }
        names[index] = mutatedURL(names[index])
        parts[0] = names.joined(separator: "/")
        return parts.joined(separator: "?")
    }

    /// Mutates a part of a URL. Bytes that a URL cannot contain are escaped.
    private mutating func mutatedURL(_ seed: String) -> String {
        mutated([seed]).map { byte in
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "#")
            return isPlain ? String(UnicodeScalar(byte)) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
        }.joined()
    }

    private func filled(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false)
            .map { part in part.hasPrefix(":") ? world.named[String(part.dropFirst())] ?? "none" : String(part) }
            .joined(separator: "/")
    }

    private func substituted(_ text: String) -> String {
        world.named.reduce(text) { $0.replacingOccurrences(of: "$\($1.key)", with: $1.value) }
    }
}
