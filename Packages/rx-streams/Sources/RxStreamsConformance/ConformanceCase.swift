import RxStreams
