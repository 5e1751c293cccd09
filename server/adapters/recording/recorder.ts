import {mkdir, rename, writeFile} from "node:fs/promises"
import {join} from "node:path"
import {createInterface} from "node:readline"
import {type PluginDefinition, Problem, type TSchema, Type} from "../../../shared/sdk/sdk.ts"
import {adapterOf, type Tools} from "./account.ts"
import {discord} from "./discord.ts"
import type {Account, RecordedPlatform} from "./platform.ts"
import {record} from "./record.ts"
import type {RecordedStep} from "./recording.ts"
import type {Relay} from "./relay.ts"
import {slack} from "./slack.ts"
import {telegram} from "./telegram.ts"

/** The platforms whose traffic can be recorded, by adapter. */
export const platforms: Readonly<Record<string, RecordedPlatform>> = {discord, slack, telegram}

interface BuiltIn {
  readonly default: PluginDefinition
  readonly libraries?: Readonly<Record<string, string>>
}

/** What a listener of this machine serves. */
interface Served {
  readonly fetch: (request: Request) => Promise<Response>
  readonly socket: Relay["socket"]
  refuse(): {readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string}
}

interface Listener {
  readonly port: number
  close(force: boolean): Promise<void>
}

export interface RecorderOptions {
  readonly account: Account
  readonly secrets: readonly string[]
  /** The project's folder. */
  readonly folder: string
  readonly tools: Tools
  /** Listens on a free port of this machine. */
  serve(served: Served): Promise<Listener>
  tell(text: string): void
}

/** The written file, below the project, and how each step ended. */
export interface Written {
  readonly file: string
  readonly steps: readonly Pick<RecordedStep, "step" | "ended">[]
}

/** Returns the recorder of a built-in adapter. Throws `unsupported` for one that it does not know. */
export const createRecorder = async (slot: string, builtIns: Readonly<Record<string, () => Promise<BuiltIn>>>) => {
  const platform = platforms[slot]
  const plugin = await builtIns[slot]?.()
  if (platform === undefined || plugin === undefined)
    throw new Problem("unsupported", `svc cannot record the adapter ${slot}`, {
      hint: `It records ${Object.keys(platforms).join(", ")}.`,
    })
  const adapter = adapterOf(plugin.default)
  const schema: TSchema = adapter.account ?? Type.Object({})
  return {
    schema,
    libraries: plugin.libraries ?? {},
    record: async ({folder, serve, ...options}: RecorderOptions): Promise<Written> => {
      const stopping = new AbortController()
      const stop = () => stopping.abort()
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop)
      const lines = createInterface({input: process.stdin})
      let listener: Listener | undefined
      try {
        const {text, steps} = await record({
          ...options,
          name: slot,
          adapter,
          platform,
          signal: stopping.signal,
          serve: async ({answer, socket}) => {
            const refused = {status: 404, headers: {}, body: ""}
            listener = await serve({fetch: answer, socket, refuse: () => refused})
            return `http://127.0.0.1:${listener.port}`
          },
          onSkip: skip => {
            lines.on("line", skip)
            return () => lines.off("line", skip)
          },
        })
        return {file: await write(folder, slot, text), steps}
      } finally {
        for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, stop)
        lines.close()
        await listener?.close(true)
      }
    },
  }
}

/** Writes the file, readable by its owner only. Resolves to its path below the project. */
const write = async (folder: string, slot: string, text: string): Promise<string> => {
  const file = join("recordings", `${slot}.json`)
  const path = join(folder, file)
  await mkdir(join(folder, "recordings"), {recursive: true, mode: 0o700})
  await writeFile(`${path}.tmp`, text, {mode: 0o600})
  await rename(`${path}.tmp`, path)
  return file
}
