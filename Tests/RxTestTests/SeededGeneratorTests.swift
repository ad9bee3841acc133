import RxTest
import Testing

struct SeededGeneratorTests {
    private func numbers(_ seed: UInt64, _ count: Int = 3) -> [UInt64] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in generator.next() }
    }

    /// The numbers of Sebastiano Vigna's reference for SplitMix64 with this seed.
    @Test func numbersMatchSplitMix64() {
        #expect(
            numbers(1_234_567) == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }

    @Test func numbersFollowFromTheSeed() {
        #expect(numbers(7, 100) == numbers(7, 100))
        #expect(Set((0..<100).map { numbers($0, 1) }).count == 100)
    }

    @Test func copyContinuesFromStateOfOriginal() {
        var generator = SeededGenerator(seed: 1)
        _ = generator.next()
        var copy = generator
        #expect(copy.next() == generator.next())
    }
}
