import type {CheckpointsSettings} from "../shared/config.ts"
import {durationOf} from "../shared/duration.ts"
import type {Log} from "../shared/log.ts"
import type {LoadedConfig} from "./config/load.ts"
import type {Database} from "./database/database.ts"
import {telling} from "./events/telling.ts"
import {type CheckpointNews, Checkpoints} from "./recovery/checkpoints.ts"
import type {Participant} from "./recovery/participant.ts"
import {CheckpointSchedule} from "./recovery/schedule.ts"
import {nameSecrets, rememberNames} from "./recovery/secrets.ts"
import {CheckpointStore} from "./recovery/store.ts"
import type {ProjectPaths} from "./runtime/project.ts"

export interface RecoveryOptions {
  readonly paths: ProjectPaths
  readonly project: string
  readonly authority: string
  readonly runtimeId: string
  readonly database: Database
  readonly participants: readonly Participant[]
  readonly settings: () => CheckpointsSettings
  readonly log: Log
}

/** What a running Host does about recovery. */
export interface HostRecovery {
  readonly checkpoints: Checkpoints
  /** Values of secrets: no checkpoint may hold them. */
  hide(values: readonly string[]): void
  /** The configuration of a generation, which names the variables that they come from. */
  learn(config: LoadedConfig): void
  /** Removes what an earlier run did not finish, and begins the schedule. */
  start(): Promise<void>
  stop(): Promise<void>
}

export const createRecovery = ({settings, ...options}: RecoveryOptions): HostRecovery => {
  const {paths, database, log} = options
  const values = new Set<string>()
  let secrets: Record<string, string> = {}
  const checkpoints = new Checkpoints({
    store: new CheckpointStore(paths.checkpoints),
    source: () => ({...options, schema: database.state.is === "initialized" ? database.state.schema : 0, secrets}),
    temporary: paths.temporary,
    log,
    tell: async news => void (await database.write([eventOf(news)])),
  })
  let schedule: CheckpointSchedule | undefined
  return {
    checkpoints,
    hide: fresh => {
      for (const value of fresh) values.add(value)
    },
    learn: config => {
      // Those of earlier generations may still stand somewhere.
      secrets = {...secrets, ...nameSecrets(config.text, config.variables, values)}
      rememberNames(database, Object.keys(secrets)).catch(error =>
        log.warn("the names of the secrets were not stored", {error}),
      )
    },
    start: async () => {
      await checkpoints.start()
      // A remote database is backed up by its own tool, on a schedule of its own.
      if (database.location.dialect !== "sqlite") return
      const [row] = await database.read("SELECT min(started_at) AS at FROM svc_runs")
      schedule = new CheckpointSchedule({
        checkpoints,
        settings: () => ({every: durationOf(settings().every), keep: settings().keep}),
        firstStart: Number(row?.at),
        log,
      })
      schedule.start()
    },
    stop: async () => {
      schedule?.stop()
      await checkpoints.stop()
    },
  }
}

const eventOf = (news: CheckpointNews) => {
  const {id: checkpoint} = news
  switch (news.is) {
    case "created":
      return telling("checkpoint.created", {checkpoint, reason: news.reason, size: news.size})
    case "verified":
      return telling("checkpoint.verified", {checkpoint, warnings: [...news.warnings]})
    case "refused":
      return telling("checkpoint.refused", {checkpoint, findings: [...news.findings], warnings: [...news.warnings]})
    case "failed":
      return telling("checkpoint.failed", {checkpoint, code: news.code, detail: news.detail})
    case "pruned":
      return telling("checkpoint.pruned", {checkpoint})
  }
}
