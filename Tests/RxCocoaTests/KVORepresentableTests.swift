#if Foundation
    import Foundation
    import RxCocoa
    import Testing

    struct KVORepresentableTests {
        private enum Size: Int {
            case small = 1
        }

        @Test func numbersComeOfANumber() {
            #expect(Int(KVOValue: NSNumber(value: -7)) == -7)
            #expect(Int32(KVOValue: NSNumber(value: -7)) == -7)
            #expect(Int64(KVOValue: NSNumber(value: Int64.min)) == .min)
            #expect(UInt(KVOValue: NSNumber(value: 7)) == 7)
            #expect(UInt32(KVOValue: NSNumber(value: 7)) == 7)
            #expect(UInt64(KVOValue: NSNumber(value: UInt64.max)) == .max)
            #expect(Bool(KVOValue: NSNumber(value: true)) == true)
        }

        @Test func enumCaseIsMadeFromRawValue() {
            #expect(Size(KVOValue: NSNumber(value: 1)) == .small)
            #expect(Size(KVOValue: NSNumber(value: 2)) == nil)
        }
    }
#endif
