import {join} from "node:path"
import {posting} from "../../host/client.ts"
import {jsonLinesIn, type Running, startProcess, until} from "../../host/process.ts"
import {root} from "../../host/runtimes.ts"
import {npmTool} from "../../machine/npm-tool.ts"

/** The reference server of Satori. Its router needs this version of `path-to-regexp` without declaring it. */
export const reference = npmTool("satori-server-2.2.2", [
  "@satorijs/server@2.2.2",
  "@satorijs/satori@3.7.0",
  "@satorijs/router@1.1.2",
  "path-to-regexp@6.2.2",
])

export const referenceToken = "token-of-the-reference-server"

export interface Deed {
  readonly did: string
  readonly [key: string]: unknown
}

export interface ReferenceServer {
  readonly process: Running
  /** Delivers an event of the bot `one`, or of another one: `{bot: "two", …}`; `{status: 0}` takes the bot offline. */
  tell(event: object): Promise<unknown>
  /** A person says something in the channel `hall`. */
  say(id: string, text: string, more?: object): Promise<unknown>
  deeds(): readonly Deed[]
}

/** Starts it at this port, with the bots `one` and `two` of the platform `testing`. */
export const startReference = async (port: number): Promise<ReferenceServer> => {
  const script = join(root, "tests/support/platforms/satori/reference-bot.ts")
  const running = startProcess([process.execPath, script, reference.folder, String(port), referenceToken])
  const lines = (): readonly Deed[] => jsonLinesIn(running.stdout())
  await until("the reference server to start", () => lines().some(line => "started" in line)).catch(error => {
    throw new Error(`${error.message}\n${running.output()}`)
  })
  const tell = (event: object) => fetch(`http://127.0.0.1:${port}/tell`, posting(event))
  return {
    process: running,
    tell,
    say: (id, content, more = {}) =>
      tell({
        type: "message-created",
        channel: {id: "hall", type: 0},
        user: {id: "ann", name: "Ann"},
        message: {id, content},
        ...more,
      }),
    deeds: () => lines().filter(line => "did" in line),
  }
}
