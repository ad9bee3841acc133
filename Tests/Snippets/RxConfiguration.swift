import Configuration

let config = ConfigReader(provider: InMemoryProvider(values: [:]))
