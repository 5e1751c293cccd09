import {randomUUID} from "node:crypto"
import {createWriteStream} from "node:fs"
import {rename, rm} from "node:fs/promises"
import {dirname, join} from "node:path"
import {pipeline} from "node:stream/promises"
import {Command, Option} from "clipanion"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {fromJson} from "../../shared/json.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import {counted} from "../kit/print.ts"
import {UserCommand} from "../kit/user-command.ts"

export class UserExport extends UserCommand {
  static override paths = [["user", "export"]]
  static override usage = Command.Usage({
    description: "write everything that svc keeps of one user of a platform",
    details: `
      One line of JSON for each row: inbox events, outbox messages, timers, values of plugins, questions. The last line, of part \`end\`, counts them; without it the document was cut off. Of a running Host, or of one that is stopped.

      It does not hold what plugins keep in tables of their own, nor work items, the log and checkpoints: docs/privacy.md.
    `,
    examples: [
      ["Into a file that its owner alone can read", "svc user export sandbox you --output you.ndjson"],
      ["Into another program", "svc user export sandbox you | gzip > you.ndjson.gz"],
    ],
  })

  output = Option.String("--output", {description: "A file instead of standard output; one that is there is replaced"})

  async run(): Promise<ExitCode> {
    const {output} = this
    if (output === undefined) {
      await this.#read(async lines => {
        for await (const line of lines) this.print(line)
      })
      return exit.ok
    }
    const rows = await this.#read(lines => writeFile(output, lines))
    this.show({output, rows}, () => `${counted(rows, "row")} of ${this.user} at ${this.endpoint} in ${output}`)
    return exit.ok
  }

  /** Hands the lines on; resolves to the number of rows among them. */
  #read(take: (lines: AsyncGenerator<string>) => Promise<void>): Promise<number> {
    return this.withUser(async kept => {
      let count = 0
      await take(
        (async function* () {
          for await (const line of wholeLines(kept.export())) {
            count++
            yield line
          }
        })(),
      )
      // The first line says whose it is, the last one counts.
      return count - 2
    })
  }
}

/** Nobody finds a file under its name that is not whole. */
const writeFile = async (output: string, lines: AsyncIterable<string>): Promise<void> => {
  const partial = join(dirname(output), `.${randomUUID()}.tmp`)
  const ended = async function* () {
    for await (const line of lines) yield `${line}\n`
  }
  try {
    await pipeline(ended, createWriteStream(partial, {flags: "wx", mode: 0o600, flush: true}))
    await rename(partial, output)
  } catch (cause) {
    await rm(partial, {force: true}).catch(() => {})
    if (cause instanceof Problem) throw cause
    throw new Problem("request_invalid", `${output} was not written: ${messageOf(cause)}`, {cause})
  }
}

/** The lines that say something. Throws `host_unreachable` where the last one is missing. */
async function* wholeLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ""
  let last = ""
  for await (const piece of pieces) {
    const lines = `${rest}${piece}`.split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines.filter(each => each !== "")) {
      yield line
      last = line
    }
  }
  if (last === "" || (fromJson(last) as {readonly part: string}).part !== "end")
    throw new Problem("host_unreachable", "the Host ended before the document was whole")
}
