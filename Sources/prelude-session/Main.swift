import ArgumentParser
import Configuration

import Hummingbird
import ServiceLifecycle

@main struct PreludeSessionCommand: AsyncParsableCommand { func run() async throws { print("hi") } }
