typealias Request = PageRequest
typealias Response = PageResponse
