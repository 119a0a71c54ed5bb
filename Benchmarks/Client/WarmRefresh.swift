import Measurement
import PlayedService
import PreludeSession

/// Compares `refresh()` with a valid access token with a call of an actor that returns a stored value.
func warmRefresh() {
    struct Stage {
        let client: PreludeSessionClient
        let service: PlayedService
        let cell = Cell()
    }
    Comparison(
        "refresh() on a warm cache", calls: 1000,
        stage: {
            let service = try PlayedService()
            return Stage(client: try await service.signIn(), service: service)
        },
        reference: { stage in { _ = await stage.cell.value } },
        subject: { stage in
            {
                try await stage.client.refresh()
                guard stage.service.refreshes == 0 else { throw Unexpected("a warm refresh() went to the service") }
            }
        }
    ).register()
}

/// The smallest possible actor.
private actor Cell {
    var value = "a value"
}
