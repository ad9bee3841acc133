#if Foundation
    public import Foundation

    extension Bool: KVORepresentable {
        /// The class of the object.
        public typealias KVOType = NSNumber

        /// The value of `KVOValue` as `Bool`.
        public init?(KVOValue: KVOType) {
            self = KVOValue.boolValue
        }
    }

    extension Int: KVORepresentable {
        /// The class of the object.
        public typealias KVOType = NSNumber

        /// The value of `KVOValue` as `Int`.
        public init?(KVOValue: KVOType) {
            self = KVOValue.intValue
        }
    }

    extension Int32: KVORepresentable {
        /// The class of the object.
        public typealias KVOType = NSNumber

        /// The value of `KVOValue` as `Int32`.
        public init?(KVOValue: KVOType) {
            self = KVOValue.int32Value
        }
    }

    extension Int64: KVORepresentable {
        /// The class of the object.
        public typealias KVOType = NSNumber

        /// The value of `KVOValue` as `Int64`.
        public init?(KVOValue: KVOType) {
            self = KVOValue.int64Value
        }
    }

    extension UInt: KVORepresentable {
        /// The class of the object.
        public typealias KVOType = NSNumber

        /// The value of `KVOValue` as `UInt`.
        public init?(KVOValue: KVOType) {
            self = KVOValue.uintValue
        }
    }

    extension UInt32: KVORepresentable {
        /// The class of the object.
        public typealias KVOType = NSNumber

        /// The value of `KVOValue` as `UInt32`.
        public init?(KVOValue: KVOType) {
            self = KVOValue.uint32Value
        }
    }

    extension UInt64: KVORepresentable {
        /// The class of the object.
        public typealias KVOType = NSNumber

        /// The value of `KVOValue` as `UInt64`.
        public init?(KVOValue: KVOType) {
            self = KVOValue.uint64Value
        }
    }
#endif
