import {cpSync, existsSync, mkdtempSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import type {Project} from "../host/project.ts"
import {type Ledger, readLedger} from "../messages/kill-ledger.ts"
import type {KillPlatform} from "./platform.ts"

/** Reads a copy: the database itself is recovered by the next Host. */
const ledgerOf = async (project: Project): Promise<Ledger | undefined> => {
  const file = project.path(".svc/data.sqlite")
  if (!existsSync(file)) return undefined
  const folder = mkdtempSync(join(tmpdir(), "svc-killed-"))
  try {
    for (const end of ["", "-wal"]) if (existsSync(file + end)) cpSync(file + end, join(folder, `data.sqlite${end}`))
    return await readLedger(join(folder, "data.sqlite"))
  } finally {
    rmSync(folder, {recursive: true})
  }
}

/** What a platform sees at the moment of a kill. */
export interface Moment {
  readonly platform: KillPlatform
  readonly isConnected: boolean
  readonly isConnecting: boolean
  /** What it has taken, and tells the Host or has told it. */
  readonly taken: readonly string[]
}

/** Called in the moment of the kill. */
export const momentOf = (platform: KillPlatform): Moment => {
  const since = platform.hearsSince?.() ?? 0
  return {
    platform,
    isConnected: platform.isConnected(),
    isConnecting: platform.isConnecting(),
    taken: [...platform.taken.keys()].filter(text => (platform.said.get(text) ?? 0) >= since),
  }
}

/** On which platforms the kill cut something off: an arrival that was not stored, a send, or the connecting. */
export const cutOff = async (project: Project, moments: readonly Moment[]): Promise<readonly KillPlatform[]> => {
  const ledger = await ledgerOf(project)
  const stored = new Set(ledger?.events.map(({endpoint, text}) => `${endpoint}: ${text}`))
  return moments.flatMap(({platform, isConnected, isConnecting, taken}) => {
    const endpoint = `${platform.name}~one`
    const isArriving = isConnected && taken.some(text => !stored.has(`${endpoint}: ${text}`))
    const isSending =
      ledger?.answers.some(answer => answer.endpoint === endpoint && answer.state === "sending") === true
    return isArriving || isSending || isConnecting ? [platform] : []
  })
}
