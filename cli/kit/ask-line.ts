import {createInterface} from "node:readline"
import {Writable} from "node:stream"
import {Problem} from "../../shared/problems.ts"

const hint = "svc wrote nothing. Repeat the command."

/**
 * Asks for a line on the terminal; a secret is not shown while a person types it. Throws `request_invalid` after Ctrl-C
 * and at the end of the input.
 */
export const askLine = (question: string, isSecret: boolean): Promise<string> =>
  new Promise((resolve, reject) => {
    const {stdin: input, stderr} = process
    const nowhere = new Writable({write: (_chunk, _encoding, done) => done()})
    const lines = createInterface({input, output: isSecret ? nowhere : stderr, terminal: true, historySize: 0})
    lines.once("SIGINT", () => lines.close())
    lines.once("close", () => {
      stderr.write(isSecret ? "\n" : "")
      reject(new Problem("request_invalid", "interrupted", {hint}))
    })
    if (isSecret) stderr.write(question)
    lines.question(isSecret ? "" : question, answer => {
      resolve(answer.trim())
      lines.close()
    })
  })
