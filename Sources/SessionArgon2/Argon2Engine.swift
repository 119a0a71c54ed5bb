internal import CSodium

/// The computing itself, on the calling thread: libsodium's, or what a test puts in its place.
struct Argon2Engine: Sendable {
    var hash: @Sendable (_ password: [CChar], Argon2Cost) throws(Argon2Error) -> String
    var verify: @Sendable (_ password: [CChar], _ hash: String) -> Bool

    /// - Throws: `Argon2Error.libraryUnusable` when libsodium does not start.
    static func sodium() throws(Argon2Error) -> Argon2Engine {
        // 1 says that it has been started before.
        guard sodium_init() >= 0 else { throw .libraryUnusable }
        return Argon2Engine(hash: sodiumHash, verify: sodiumVerify)
    }

    @Sendable private static func sodiumHash(_ password: [CChar], _ cost: Argon2Cost) throws(Argon2Error) -> String {
        var output = [CChar](repeating: 0, count: crypto_pwhash_strbytes())
        let status = crypto_pwhash_str_alg(
            &output, password, UInt64(password.count), UInt64(cost.passes), cost.memory * 1024,
            crypto_pwhash_alg_argon2id13())
        guard status == 0 else { throw .outOfMemory(kibibytes: cost.memory) }
        return String(decoding: output.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// libsodium calls a lack of memory a mismatch here, so under one a right password is wrong, never the reverse.
    @Sendable private static func sodiumVerify(_ password: [CChar], _ hash: String) -> Bool {
        crypto_pwhash_str_verify(hash, password, UInt64(password.count)) == 0
    }
}
