import Hummingbird
import SessionDomain

/// A block as the management API shows it.
struct BlockBody: Encodable {
    let address: String?
    let identifierType: String?
    let identifierValue: String?
    let until: String
    let note: String?
    let createdAt: String

    private enum CodingKeys: String, CodingKey {
        case address, until, note
        case identifierType = "identifier_type"
        case identifierValue = "identifier_value"
        case createdAt = "created_at"
    }

    init(_ block: Block) {
        (address, identifierType, identifierValue) =
            switch block.subject {
            case .network(let network): (network, nil, nil)
            case .identifier(let identifier): (nil, identifier.type.rawValue, identifier.value)
            case nil: (nil, nil, nil)
            }
        until = block.until.rfc3339
        note = block.note
        createdAt = block.createdAt.rfc3339
    }
}

struct BlockListBody: Encodable { let blocks: [BlockBody] }

struct AddBlockBody: Decodable {
    let address: String?
    let identifierType: String?
    let identifierValue: String?
    let seconds: Int
    let note: String?

    private enum CodingKeys: String, CodingKey {
        case address, seconds, note
        case identifierType = "identifier_type"
        case identifierValue = "identifier_value"
    }
}

/// What operators refuse for a time.
struct BlockRoutes: Sendable {
    let apps: AppManagement

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(BlockListBody(blocks: try await apps.blocks(of: context.appID).map(BlockBody.init)))
    }

    @Sendable func add(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(AddBlockBody.self)
        let subject = try Self.subject(body.address, type: body.identifierType, value: body.identifierValue)
        let block = try await apps.block(subject, seconds: body.seconds, note: body.note, of: context.appID)
        return try .json(BlockBody(block), status: .created)
    }

    @Sendable func remove(_ request: Request, context: OperatorContext) async throws -> Response {
        let query = try request.query
        let subject = try Self.subject(
            query["address"], type: query["identifier_type"], value: query["identifier_value"])
        try await apps.unblock(subject, of: context.appID)
        return .noContent
    }

    private static func subject(_ address: String?, type: String?, value: String?) throws(Refusal) -> Block.Subject {
        switch (address, value) {
        case (let address?, nil): return .network(address)
        case (nil, let value?): return .identifier(try UserRoutes.identifier(type: type, value: value))
        default: throw .invalidField("address", "or identifier_type and identifier_value is required, not both")
        }
    }
}
