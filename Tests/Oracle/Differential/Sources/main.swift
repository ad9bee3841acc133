import Foundation

let decoder = JSONDecoder()
while let line = readLine() {
    do {
        let program = try decoder.decode(Program.self, from: Data(line.utf8))
        print("R\t" + Interpreter().run(program))
    } catch {
        print("R\tnot a program: \(error)")
    }
    fflush(stdout)
}
