import HTTPTypes
import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Device id")
struct DeviceIDTests {
    @Test("A device id is a UUID and is converted to lower case")
    func valid() throws {
        let client = try Client.test(.of(("x-device-id", "0F8FAD5B-D9CB-469F-A165-70867728950E")))
        #expect(client.device.id == "0f8fad5b-d9cb-469f-a165-70867728950e")
    }

    @Test("A request without a device id has none")
    func absent() throws {
        #expect(try Client.test([:]).device.id == nil)
    }

    @Test(
        "An invalid device id is rejected",
        arguments: [
            "", "0f8fad5b", "0f8fad5bd9cb469fa16570867728950e", "{0f8fad5b-d9cb-469f-a165-70867728950e}",
            "0f8fad5b-d9cb-469f-a165-70867728950g", "0f8fad5b-d9cb-469f-a165-70867728950e0",
        ])
    func invalid(_ id: String) {
        #expect(throws: Refusal.invalidField("X-Device-Id", "must be a UUID")) {
            try Client.test(.of(("x-device-id", id)))
        }
    }
}
