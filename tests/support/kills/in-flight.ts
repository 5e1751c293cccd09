import {cpSync, existsSync, mkdtempSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import type {Project} from "../host/project.ts"
import {type Ledger, readLedger} from "../messages/kill-ledger.ts"
import type {KillPlatform} from "./platform.ts"

/** Reads a copy: the next Host must recover the database itself. */
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

export interface Moment {
  readonly platform: KillPlatform
  readonly isConnected: boolean
  readonly isConnecting: boolean
  /** The texts that it has accepted and delivers, or has delivered, to the Host. */
  readonly taken: readonly string[]
}

/** Must be called at the moment of the kill. */
export const momentOf = (platform: KillPlatform): Moment => {
  const since = platform.hearsSince?.() ?? 0
  return {
    platform,
    isConnected: platform.isConnected(),
    isConnecting: platform.isConnecting(),
    taken: [...platform.taken.keys()].filter(text => (platform.said.get(text) ?? 0) >= since),
  }
}

/** The platforms on which the kill interrupted something: an arrival that was not stored, a send, or the connecting. */
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
