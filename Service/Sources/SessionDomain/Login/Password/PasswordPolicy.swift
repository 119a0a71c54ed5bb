internal import Crypto
package import Foundation

/// The rules of passwords: counts of Unicode scalars.
package struct PasswordPolicy: Sendable, Equatable {
    /// The most scalars that a password may have after NFC, whatever the policy of the app. NIST SP 800-63B-4 §3.1.1.2 demands
    /// that 64 are permitted.
    package static let maximumLength = 256
    /// The most scalars that NFC makes one of (UAX #15). More of them are too many without a look at what they are.
    private static let scalarsOfComposition = 4

    package var minLength = 8
    /// 0 is the maximum of the service, as in earlier versions.
    package var maxLength = PasswordPolicy.maximumLength {
        didSet { if maxLength == 0 { maxLength = Self.maximumLength } }
    }
    package var uppercase = 0
    package var lowercase = 0
    package var numbers = 0
    package var symbols = 0

    package init() {}

    fileprivate static let fields: [SettingsField<Self>] = [
        count("min_length", \.minLength, "Minimum length"),
        count("max_length", \.maxLength, "Maximum length", hint: "0 is 256.")
            .checked(isRelative: true) { policy, _ throws(Refusal) in
                let counts = policy.uppercase + policy.lowercase + policy.numbers + policy.symbols
                guard policy.maxLength >= max(policy.minLength, counts) else {
                    throw .invalidField("max_length", "is too small for the other rules")
                }
            },
        count("uppercase", \.uppercase, "Upper-case letters"), count("lowercase", \.lowercase, "Lower-case letters"),
        count("numbers", \.numbers, "Digits"), count("symbols", \.symbols, "Symbols"),
    ]

    private static func count(
        _ name: String, _ path: any WritableKeyPath<Self, Int> & Sendable, _ label: String, hint: String? = nil
    ) -> SettingsField<Self> {
        .number(name, path, from: 0, to: .value(maximumLength), label, hint: hint)
    }

    /// Counts by general category: `Lu`, `Ll` and `Nd`. All other scalars are symbols.
    ///
    /// The maximum is compared first and counts the password after NFC: every other rule may take time that grows with its
    /// length.
    package func check(_ password: String) throws(Refusal) {
        let most = min(maxLength, Self.maximumLength)
        guard password.unicodeScalars.dropFirst(most * Self.scalarsOfComposition).isEmpty,
            password.precomposedStringWithCanonicalMapping.unicodeScalars.count <= most
        else { throw .invalidPassword("password needs at most \(most) characters") }
        var counts = (upper: 0, lower: 0, numbers: 0, symbols: 0)
        for scalar in password.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .uppercaseLetter: counts.upper += 1
            case .lowercaseLetter: counts.lower += 1
            case .decimalNumber: counts.numbers += 1
            default: counts.symbols += 1
            }
        }
        let shortfalls = [
            (password.unicodeScalars.count < minLength, "at least \(minLength) characters"),
            (counts.upper < uppercase, "at least \(uppercase) upper-case letters"),
            (counts.lower < lowercase, "at least \(lowercase) lower-case letters"),
            (counts.numbers < numbers, "at least \(numbers) digits"),
            (counts.symbols < symbols, "at least \(symbols) symbols"),
        ]
        let unmet = shortfalls.filter(\.0).map(\.1)
        guard unmet.isEmpty else { throw .invalidPassword("password needs " + unmet.joined(separator: ", ")) }
    }
}

/// The rules for a password that is set or changed: the counts of the policy, and no password that is easy to guess.
///
/// The wire shows only the counts to clients (`/password/compliancy`). Common passwords and context words need the service.
package struct NewPasswordRules: Sendable {
    private let policy: PasswordPolicy
    private let rejectsCommon: Bool
    private let contextWords: [String]

    /// - Parameters:
    ///   - app: The app with the settings. Its name is a context word.
    ///   - identifiers: The identifiers of the user. They and the local parts of addresses are context words.
    package init(app: App, identifiers: [CanonicalIdentifier]) {
        let config = app.passwordLogin
        policy = config?.policy ?? PasswordPolicy()
        rejectsCommon = config?.rejectsCommonPasswords ?? true
        contextWords = [app.name] + identifiers.flatMap(Self.words)
    }

    /// - Throws: `Refusal.invalidPassword` with the rule that the password breaks.
    package func check(_ password: String) throws {
        try policy.check(password)
        guard !PasswordHashFormat.isHash(password) else {
            throw Refusal.invalidPassword(
                "password is the hash of a password. The service does not import hashes, and would take this text for the "
                    + "password itself")
        }
        guard rejectsCommon else { return }
        // NIST SP 800-63B-4 §3.1.1.2, ASVS 6.2.4 and 6.2.12.
        guard try !CommonPasswords.contains(password) else {
            throw Refusal.invalidPassword(
                "password is in a list of common and breached passwords; choose another one")
        }
        // ASVS 6.2.11.
        guard !isContextWord(password) else {
            throw Refusal.invalidPassword(
                "password is the name of the app or an identifier of the user, or one of them with digits or signs; "
                    + "choose another one")
        }
    }

    private static func words(of identifier: CanonicalIdentifier) -> [String] {
        switch identifier.type {
        case .phoneNumber: [identifier.value, String(identifier.value.dropFirst())]
        case .emailAddress: [identifier.value, String(identifier.value.prefix { $0 != "@" })]
        }
    }

    /// Whether the password is a context word, or becomes one without the signs and digits around it, such as `Ada2026!`.
    private func isContextWord(_ password: String) -> Bool {
        let folded = password.foldedPassword
        let core = Self.core(folded)
        return contextWords.contains { word in
            let word = word.foldedPassword
            let wordCore = Self.core(word)
            return folded == word || (wordCore.count >= Self.shortestCore && core == wordCore)
        }
    }

    /// Shorter words would reject passwords that only contain their letters by chance.
    private static let shortestCore = 3

    private static func core(_ folded: String) -> Substring {
        guard let first = folded.firstIndex(where: \.isLetter), let last = folded.lastIndex(where: \.isLetter) else {
            return ""
        }
        return folded[first...last]
    }
}

/// Password login of one app.
package struct PasswordLoginConfig: DatedSettings, SettingsGroup {
    package var enabled = true
    package var policy = PasswordPolicy()
    /// Whether new passwords must not be common, breached, or a word of the app or the user.
    package var rejectsCommonPasswords = true
    package var createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(at time: Timestamp) {
        createdAt = time
        updatedAt = time
    }
}

extension PasswordLoginConfig {
    package static let defaults = Self(at: .never)
    package static var place: any WritableKeyPath<App, Self> & Sendable { \.passwordSettings }
    package static let title = "password login"
    package static func isConfigured(in app: App) -> Bool { app.passwordLogin != nil }

    package static let schema = SettingsSchema<Self>(
        "login.password",
        [
            .init(nil, [.flag("enabled", \.enabled, "Users can sign in with a password")]),
            .init(
                "New passwords",
                [
                    .flag(
                        "reject_common_passwords", \.rejectsCommonPasswords, "Reject common passwords",
                        hint: "Also breached ones, and words of the app and the user."
                    ).stored(as: "rejectsCommonPasswords"),
                    .group(
                        "password_compliancy", \.policy, "Characters",
                        hint: "Unicode scalars: the least of each kind, and the most of all after NFC.",
                        PasswordPolicy.fields
                    ).stored(as: "policy"),
                ]),
        ])

    /// Limits that nodes of earlier versions require.
    private enum OldKeys: CodingKey { case ipLimit, identifierLimit }

    package func encode(to encoder: any Encoder) throws {
        try write(to: encoder)
        var stored = encoder.container(keyedBy: OldKeys.self)
        try stored.encode(RateLimit(limit: 30, window: 600), forKey: .ipLimit)
        try stored.encode(RateLimit(limit: 10, window: 900), forKey: .identifierLimit)
    }

    package init(from decoder: any Decoder) throws {
        self = .defaults
        try read(decoder)
        // Earlier versions stored counts up to 1024.
        policy.minLength = min(policy.minLength, PasswordPolicy.maximumLength)
        policy.maxLength = min(policy.maxLength, PasswordPolicy.maximumLength)
    }
}

extension App {
    /// The settings of password login, and the defaults while the app has none.
    fileprivate var passwordSettings: PasswordLoginConfig {
        get { passwordLogin ?? .defaults }
        set { passwordLogin = newValue }
    }
}

/// A set of passwords as a Bloom filter: it contains every password of the set, and rarely another one.
///
/// `scripts/make-password-filter` writes it. Format, numbers in big endian: `PSPF`, the version (1 byte), the number of hash
/// functions (1 byte), of entries and of bits (4 bytes each), the SHA-256 of all other bytes, and the bits.
package struct PasswordFilter: Sendable {
    private static let magic = Array("PSPF".utf8)
    private static let version: UInt8 = 1
    private static let digestOffset = 14
    private static let headerSize = digestOffset + SHA256.byteCount

    /// The number of passwords in the set.
    package let entries: Int
    private let hashes: UInt64
    private let bitCount: UInt64
    private let bits: [UInt8]

    /// - Throws: `PasswordFilterError` when the bytes are not a whole filter of this version.
    package init(_ content: Data) throws(PasswordFilterError) {
        let bytes = [UInt8](content)
        guard bytes.count > Self.headerSize, bytes.starts(with: Self.magic) else { throw .notAFilter }
        guard bytes[4] == Self.version else { throw .unknownVersion(Int(bytes[4])) }
        let digest = bytes[Self.digestOffset..<Self.headerSize]
        let rest = bytes[..<Self.digestOffset] + bytes[Self.headerSize...]
        guard digest.elementsEqual(SHA256.hash(data: rest)) else { throw .wrongChecksum }
        func number(at offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        let bitCount = number(at: 10)
        guard bytes[5] > 0, bitCount > 0, (bitCount + 7) / 8 == bytes.count - Self.headerSize else {
            throw .wrongSize
        }
        entries = number(at: 6)
        hashes = UInt64(bytes[5])
        self.bitCount = UInt64(bitCount)
        bits = Array(bytes[Self.headerSize...])
    }

    /// Whether the set contains a password, in any case and in any compatible form (NFKC).
    ///
    /// The hash is of the password as `PasswordHasher` normalizes it, in lower case.
    package func contains(_ password: String) -> Bool {
        let (first, second) = Self.hash(password)
        var position = first
        for _ in 0..<hashes {
            let bit = position % bitCount
            guard bits[Int(bit >> 3)] & 1 << UInt8(bit & 7) != 0 else { return false }
            position &+= second
        }
        return true
    }

    /// Two halves of one hash. The hash functions of the filter are sums of both (double hashing).
    private static func hash(_ password: String) -> (first: UInt64, second: UInt64) {
        SHA256.hash(data: Data(password.foldedPassword.utf8)).withUnsafeBytes { digest in
            func half(_ offset: Int) -> UInt64 {
                digest[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
            }
            return (half(0), half(8) | 1)
        }
    }
}

package enum PasswordFilterError: Error, Equatable, CustomStringConvertible {
    case notAFilter
    case unknownVersion(Int)
    case wrongChecksum
    case wrongSize

    package var description: String {
        switch self {
        case .notAFilter: "the content is not a filter of passwords"
        case .unknownVersion(let version): "the filter of passwords has the unknown version \(version)"
        case .wrongChecksum: "the filter of passwords is damaged: its checksum differs"
        case .wrongSize: "the filter of passwords has another size than its header says"
        }
    }
}

extension String {
    /// The password in NFKC and lower case: spellings that a guesser tries together.
    var foldedPassword: String { precomposedStringWithCompatibilityMapping.lowercased() }
}

/// The common and breached passwords that apps reject: 100 000 entries in 350 KB.
///
/// Of random passwords, 1.4 in a million are rejected by chance.
package enum CommonPasswords {
    /// The filter. It is decoded at the first use.
    package static let filter = Result<PasswordFilter, any Error> {
        guard let content = Data(base64Encoded: encoded) else { throw PasswordFilterError.notAFilter }
        return try PasswordFilter(content)
    }

    /// Whether a password is in the list, in any case and in any compatible form.
    ///
    /// - Throws: `PasswordFilterError` when the list of this build is damaged. Then no password is accepted.
    package static func contains(_ password: String) throws -> Bool { try filter.get().contains(password) }
}
