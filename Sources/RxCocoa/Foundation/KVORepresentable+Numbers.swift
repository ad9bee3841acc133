#if Foundation
    public import Foundation

    extension Bool: KVORepresentable {
        public typealias KVOType = NSNumber

        public init?(KVOValue: KVOType) {
            self = KVOValue.boolValue
        }
    }

    extension Int: KVORepresentable {
        public typealias KVOType = NSNumber

        public init?(KVOValue: KVOType) {
            self = KVOValue.intValue
        }
    }

    extension Int32: KVORepresentable {
        public typealias KVOType = NSNumber

        public init?(KVOValue: KVOType) {
            self = KVOValue.int32Value
        }
    }

    extension Int64: KVORepresentable {
        public typealias KVOType = NSNumber

        public init?(KVOValue: KVOType) {
            self = KVOValue.int64Value
        }
    }

    extension UInt: KVORepresentable {
        public typealias KVOType = NSNumber

        public init?(KVOValue: KVOType) {
            self = KVOValue.uintValue
        }
    }

    extension UInt32: KVORepresentable {
        public typealias KVOType = NSNumber

        public init?(KVOValue: KVOType) {
            self = KVOValue.uint32Value
        }
    }

    extension UInt64: KVORepresentable {
        public typealias KVOType = NSNumber

        public init?(KVOValue: KVOType) {
            self = KVOValue.uint64Value
        }
    }
#endif
