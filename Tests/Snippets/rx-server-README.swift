let blocks = [
    1: Block(happens: ["answer: ping", "closed", "loaded 0"]),
    2: Block(happens: ["debug: subscribed", "charged 0"]),
    3: Block(happens: ["confirmed 0", "info: draining"], sigtermAfter: "confirmed 0"),
    4: Block(happens: ["info: limit set"], sigtermAfter: "debug: Starting service"),
]
