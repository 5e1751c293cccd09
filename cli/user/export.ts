import {randomUUID} from "node:crypto"
import {createWriteStream} from "node:fs"
import {rename, rm} from "node:fs/promises"
import {dirname, join} from "node:path"
import {pipeline} from "node:stream/promises"
import {Command, Option} from "clipanion"
import {fromJson} from "../../shared/json.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import {counted} from "../kit/print.ts"
import {UserCommand} from "../kit/user-command.ts"

export class UserExport extends UserCommand {
  static override usage = Command.Usage({
    description: "export all data that svc stores about one user of a platform",
    details: `
      Writes one line of JSON per row: inbox events, outbox messages, timers, plugin state and questions. The last line, with the part \`end\`, counts the rows; if it is missing, the export is incomplete. Works with the Host running or stopped.

      The export does not include the tables of plugins, work items, the log, or checkpoints: docs/privacy.md.
    `,
    examples: [
      ["Into a file that only its owner can read", "svc user export sandbox you --output you.ndjson"],
      ["Into another program", "svc user export sandbox you | gzip > you.ndjson.gz"],
    ],
  })

  output = Option.String("--output", {description: "Write to this file instead of stdout; an existing one is replaced"})

  async run(): Promise<void> {
    const {output} = this
    if (output === undefined) {
      await this.#read(async lines => {
        for await (const line of lines) this.print(line)
      })
      return
    }
    const rows = await this.#read(lines => writeFile(output, lines))
    this.show({output, rows}, () => `${counted(rows, "row")} of ${this.user} at ${this.endpoint} in ${output}`)
  }

  /** Passes the lines to \`take\`. Resolves to the number of rows among them. */
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
      // The first line names the user and the last one counts the rows.
      return count - 2
    })
  }
}

/** Writes a file beside its place and renames it, so that no incomplete file ever has the final name. */
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
    throw new Problem("request_invalid", `cannot write ${output}: ${messageOf(cause)}`, {cause})
  }
}

/** Yields the lines that are not empty. Throws `host_unreachable` if the last line is missing. */
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
    throw new Problem("host_unreachable", "the Host ended before the export was complete")
}
