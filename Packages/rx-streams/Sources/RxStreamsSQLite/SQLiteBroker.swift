import RxStreams
import GRDB
