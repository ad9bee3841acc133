import RxStreams
import NIOCore
import NIOPosix
import NIOSSL
import Crypto
