import RxStreams
import ArgumentParser
import ServiceLifecycle
print("orders")
