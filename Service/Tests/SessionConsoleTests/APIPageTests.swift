import SessionDomain
import SessionHTTP
import Testing

@testable import SessionConsole

@Suite("The description of the APIs in the console")
struct APIPageTests {
    @Test("The served document can be read, and each of its calls is on the page of its group")
    func calls() async throws {
        let document = try APIDocument.served.get()
        let lines = OpenAPIRoute.text.split(separator: "\n")
        let ids = lines.filter { $0.hasPrefix("      operationId: ") }.map { String($0.dropFirst(19)) }
        #expect(ids.count > 100 && Set(ids) == Set(document.groups.flatMap { $0.calls.map(\.id) }))
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser(role: .read)
        let list = try await browser.get("/console/api")
        #expect(list.status == 200 && list.text.utf8.count < 300_000)
        for group in document.groups {
            let answer = try await browser.get("/console/api/" + group.slug)
            #expect(
                answer.status == 200 && answer.text.utf8.count < 300_000, "\(group.slug): \(answer.text.utf8.count)")
            for call in group.calls {
                #expect(answer.text.contains("<section class=\"card call\" id=\"\(call.id)\""), "\(call.id)")
                #expect(list.text.contains("href=\"/console/api/\(group.slug)#\(call.id)\""), "\(call.id)")
            }
        }
    }

    @Test("A key of one app may read it, and a browser without a session may not")
    func permission() async throws {
        let world = try await ConsoleWorld()
        let (operatorBrowser, _) = try await world.operatorBrowser(app: AppID("testapp"))
        var browser = operatorBrowser
        #expect(try await browser.get("/console/api/users").status == 200)
        #expect(try await browser.get("/console/api/none").status == 404)
        var stranger = Browser(world: world, host: "console.test")
        #expect(try await stranger.get("/console/api").location == "/console/sign-in?next=%2Fconsole%2Fapi")
    }

    @Test("A search finds calls by all its words, in path and description")
    func search() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let text = try await browser.get("/console/api?q=POST%20CODE%20older").text
        #expect(text.contains("checkWebLogin") && !text.contains("#startOTP\""))
        let none = try await browser.get("/console/api?q=%3Cb%3Enothing").text
        #expect(none.contains("No call has these words") && none.contains("value=\"&lt;b&gt;nothing\""))
    }

    private static let document = """
        info:
          description: |
            First `code`.

            - one
              line
            - two
        tags:
          - {name: Old things, description: Calls.}
        paths:
          /v2/things/{thing_id}:
            parameters:
              - {$ref: '#/components/parameters/thing_id'}
            post:
              operationId: changeThing
              tags: [Old things]
              summary: Change a thing
              security: [{managementKey: []}, {}]
              parameters:
                - {name: page-size, in: query, required: true, schema: {type: integer, minimum: 1}}
              requestBody:
                content:
                  application/json:
                    schema: {$ref: '#/components/schemas/Thing'}
                    example: {name: it's}
              responses:
                '200': {description: Done.}
                '404': {$ref: '#/components/responses/NotFound'}
        components:
          securitySchemes:
            managementKey: {type: http, scheme: bearer, description: A key.}
          parameters:
            thing_id: {name: thing_id, in: path, required: true, schema: {type: string}}
          responses:
            NotFound:
              description: There is none.
              content:
                application/json:
                  example: {code: not_found}
          schemas:
            Thing:
              type: object
              required: [name]
              properties:
                name: {type: string, minLength: 1, maxLength: 9, description: Its `name`.}
                parts: {type: array, maxItems: 2, items: {$ref: '#/components/schemas/Thing'}}
                labels: {type: object, additionalProperties: {type: string, enum: [a, b]}}
        """

    @Test("A call has its parameters, the members of its body with their limits, its errors, and a command line")
    func content() throws {
        let document = try APIDocument(Self.document)
        let call = try #require(document.groups.first?.calls.first)
        #expect(document.groups[0].slug == "old-things")
        let members = APIMember.all(of: try #require(call.body?.value["schema"]), in: document)
        #expect(members.map(\.name) == ["name", "parts", "labels", "labels.*"])
        #expect(members.map(\.type) == ["string", "array of object", "object", "string"])
        #expect(members.map(\.limits) == [["1 to 9 characters"], ["at most 2 elements"], [], ["one of `a`, `b`"]])
        #expect(members.map(\.isRequired) == [true, false, false, false])
        #expect(
            call.curl(of: document) == #"""
                curl -X POST \
                  -H "Authorization: Bearer $MANAGEMENT_KEY" \
                  -H "Content-Type: application/json" \
                  --data '{"name": "it'\''s"}' \
                  "$URL/v2/things/$THING_ID?page-size=$PAGE_SIZE"
                """#)
        let html = APICallView.html(call, document).text
        for part in [
            "<code>thing_id</code>", "<code>name</code><span class=\"needed\"> required</span>",
            "Its <code>name</code>.",
            "<td>There is none.</td>", "<code>not_found</code>", "<li>None.</li>", "at least 1",
        ] { #expect(html.contains(part), "\(part)") }
        #expect(
            APIText.paragraphs(document.introduction).text
                == "<p>First <code>code</code>.</p><ul class=\"bullets\"><li>one line</li><li>two</li></ul>")
    }
}
