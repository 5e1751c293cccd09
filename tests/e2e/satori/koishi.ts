import {join} from "node:path"
import {describe} from "vitest"
import {jsonLinesIn, type Running, startProcess, until} from "../../support/host/process.ts"
import {root} from "../../support/host/runtimes.ts"
import {koishi} from "../../support/platforms/koishi.ts"

/** `describe` that is skipped if npm cannot install Koishi. With `SVC_TEST_REQUIRE_TOOLS=1` it fails instead. */
export const describeWithKoishi = () => describe.skipIf(!koishi.install())

export interface KoishiEvent {
  readonly sn: number
  readonly content: string
  readonly platform: string
  readonly channel: string
}

export interface Koishi {
  readonly process: Running
  events(): readonly KoishiEvent[]
  /** Waits until all of these bots, as `platform:user`, are online. */
  online(...bots: readonly string[]): Promise<void>
}

/** Starts Koishi with the bot of `koishi-bot.ts`, connected to the Host at this port. */
export const startKoishi = (port: number, token: string): Koishi => {
  const script = join(root, "tests/e2e/satori/koishi-bot.ts")
  const running = startProcess([process.execPath, script, koishi.folder, `http://127.0.0.1:${port}/satori`, token])
  const lines = () => jsonLinesIn(running.stdout())
  return {
    process: running,
    events: () => lines().filter((line): line is KoishiEvent => "sn" in line),
    online: async (...bots) => {
      const statusOf = (bot: string) => lines().findLast(line => line.bot === bot)?.status
      await until("Koishi's bots to be online", () => bots.every(bot => statusOf(bot) === 1)).catch(error => {
        throw new Error(`${error.message}\n${running.output()}`)
      })
    },
  }
}
