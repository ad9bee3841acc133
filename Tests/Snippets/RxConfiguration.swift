let blocks = [1: Block(happens: ["info: limit set"], sigtermAfter: "debug: Starting service")]
