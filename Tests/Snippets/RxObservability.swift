let blocks = [
    1: Block(happens: ["debug: subscribed", "charged 0"]),
    3: Block(happens: ["charged 0"]),
]
