let blocks = [
    1: Block(happens: ["confirmed 0", "info: draining"], sigtermAfter: "confirmed 0"),
    2: Block(sigtermAfter: "charged 0"),  // exits with 0
]
