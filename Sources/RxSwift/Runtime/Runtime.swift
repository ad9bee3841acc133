public import CRxCore
