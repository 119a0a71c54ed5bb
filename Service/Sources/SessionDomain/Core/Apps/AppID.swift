/// The id of an app: seven lower-case letters or digits.
package struct AppID: Hashable, Sendable, Codable, CustomStringConvertible {
    package let rawValue: String

    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 7, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) })
        else { return nil }
        rawValue = String(text)
    }

    private init(reserved: String) { rawValue = reserved }

    /// Stands for the service itself in events that belong to no app. No text is read as this id, so no app has it.
    package static let service = AppID(reserved: "-")

    /// The built-in app of the operators of the console. No text from outside is read as this id, so no caller can name it.
    package static let operators = AppID(reserved: "-admin-")

    /// Reads an id that a store has written, a reserved one included.
    package init?(stored text: String) {
        switch text {
        case Self.service.rawValue: self = .service
        case Self.operators.rawValue: self = .operators
        default: self.init(text)
        }
    }

    /// A random id.
    package init(environment: ServiceEnvironment) {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
        // 252 is the largest multiple of 36 below 256. Larger values would make the first letters more likely.
        var characters: [UInt8] = []
        while characters.count < 7 {
            characters += environment.randomBytes(16).filter { $0 < 252 }.map { alphabet[Int($0 % 36)] }
        }
        rawValue = String(decoding: characters.prefix(7), as: UTF8.self)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = AppID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an app id")
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    package var description: String { rawValue }
}
