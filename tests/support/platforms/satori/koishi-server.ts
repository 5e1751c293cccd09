import {join} from "node:path"
import {posting} from "../../host/client.ts"
import {jsonLinesIn, startProcess, until} from "../../host/process.ts"
import {root} from "../../host/runtimes.ts"
import {npmTool} from "../../machine/npm-tool.ts"
import {freePort} from "../../machine/ports.ts"

/** Koishi with its own HTTP server. A plugin of the tests serves Satori there (`koishi-server-plugin.ts`). */
export const koishiServer = npmTool("koishi-server-4.18.11", ["koishi@4.18.11", "@koishijs/plugin-server@3.2.9"])

export const koishiToken = "token-of-koishi-as-a-server"

export interface Deed {
  readonly did: string
  readonly id?: string
  readonly content?: string
  readonly message?: string
  readonly user?: string
  readonly duration?: number
}

export interface KoishiServer {
  /** Ends with `/satori`. */
  readonly url: string
  /** Delivers an action of people: an event of Satori. */
  tell(event: object): Promise<void>
  deeds(): readonly Deed[]
}

/** Starts Koishi 4.18 with the tests' Satori server plugin, and the bot `koi` of the platform `testing`. */
export const startKoishiServer = async (): Promise<KoishiServer> => {
  const port = await freePort()
  const script = join(root, "tests/support/platforms/satori/koishi-server-bot.ts")
  const running = startProcess([process.execPath, script, koishiServer.folder, String(port), koishiToken])
  const lines = () => jsonLinesIn(running.stdout())
  const url = `http://127.0.0.1:${port}`
  await until("Koishi to serve", async () => {
    if (running.child.exitCode !== null) throw new Error("Koishi ended")
    return lines().some(line => "started" in line)
  }).catch(error => {
    throw new Error(`${error.message}\n${running.output()}`)
  })
  return {
    url: `${url}/satori`,
    tell: async event => {
      const {status} = await fetch(`${url}/tell`, posting(event))
      if (status !== 204) throw new Error(`Koishi answered ${status}: ${running.output()}`)
    },
    deeds: () => lines().filter(line => "did" in line),
  }
}
