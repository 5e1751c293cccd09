import {createInterface} from "node:readline"
import {Writable} from "node:stream"
import {Problem} from "../../shared/problems.ts"

/** Asks a question on the terminal that nothing but yes affirms. */
export const askIfSure = async (question: string): Promise<boolean> =>
  /^y(es)?$/i.test(await askLine(`${question} [y/N] `, false))

/** Asks for a line on the terminal, which does not show a secret. Throws `request_invalid` after Ctrl-C and Ctrl-D. */
export const askLine = (question: string, isSecret: boolean): Promise<string> =>
  new Promise((resolve, reject) => {
    const {stdin: input, stderr} = process
    const output = isSecret ? new Writable({write: (_chunk, _encoding, done) => done()}) : stderr
    const lines = createInterface({input, output, terminal: true, historySize: 0})
    lines.once("SIGINT", () => lines.close())
    lines.once("close", () => {
      if (isSecret) stderr.write("\n")
      reject(new Problem("request_invalid", "interrupted", {hint: "svc wrote nothing. Repeat the command."}))
    })
    if (isSecret) stderr.write(question)
    lines.question(isSecret ? "" : question, answer => {
      resolve(answer.trim())
      lines.close()
    })
  })
