var call: Observable<Int> { .just(0) }
var bulkhead: Bulkhead { Bulkhead(1, name: "") }
var breaker: CircuitBreaker { CircuitBreaker("") }
var budget: RetryBudget { RetryBudget(ratio: 0.1) }
var policy: RetryPolicy { .atOnce(attempts: 2) }
