#if Foundation
    public import Foundation

    extension NSObject: ReactiveCompatible {}
#endif
