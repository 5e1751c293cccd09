import type {ProjectConfig} from "../../../shared/config.ts"
import {durationOf} from "../../../shared/duration.ts"
import type {Log} from "../../../shared/log.ts"
import {messageOf} from "../../../shared/problems.ts"
import type {LoadedConfig} from "../../config/load.ts"
import {schemaOf} from "../../database/database.ts"
import type {Ingress} from "../../endpoints/ingress.ts"
import {type Hide, telling} from "../../events/telling.ts"
import type {RunningBuild} from "../../recovery/build/running.ts"
import {type CheckpointNews, Checkpoints} from "../../recovery/checkpoint/checkpoints.ts"
import type {CheckpointSource} from "../../recovery/checkpoint/create.ts"
import {readCode} from "../../recovery/checkpoint/provenance.ts"
import {CheckpointSchedule} from "../../recovery/checkpoint/schedule.ts"
import {CheckpointStore} from "../../recovery/checkpoint/store.ts"
import {ReleaseRecord} from "../../recovery/release/record.ts"
import {Releases} from "../../recovery/release/releases.ts"
import {discardPrepared} from "../../recovery/release/verification/prepared.ts"
import {hashProject} from "../../recovery/release/verification/source.ts"
import {Uploads} from "../../recovery/upload/uploads.ts"
import {nameSecrets, rememberNames} from "../../recovery/verify/secrets.ts"

export interface RecoveryOptions
  extends Pick<CheckpointSource, "paths" | "project" | "authority" | "database" | "participants"> {
  readonly build: RunningBuild
  readonly runtimeId: string
  readonly ingress: Ingress
  /** The free space to leave on the disk, in bytes. */
  readonly least: () => number
  readonly settings: () => Pick<ProjectConfig, "checkpoints" | "releases">
  readonly log: Log
  /** Removes the values of secrets from events. */
  readonly scrub: Hide
}

/** The recovery part of a running Host: checkpoints, uploads and releases. */
export interface HostRecovery {
  readonly checkpoints: Checkpoints
  readonly uploads: Uploads
  readonly releases: Releases
  /** Adds values of secrets, which no checkpoint may contain. */
  hide(values: readonly string[]): void
  /** Reads the names of the secret variables from a generation's configuration. */
  learn(config: LoadedConfig): void
  /** Removes what an earlier run left unfinished, and starts the schedule. */
  start(): Promise<void>
  stop(): Promise<void>
}

export const createRecovery = ({settings, ingress, build, least, ...options}: RecoveryOptions): HostRecovery => {
  const {paths, database, log, scrub} = options
  const values = new Set<string>()
  let secrets: Record<string, string> = {}
  const checkpoints = new Checkpoints({
    store: new CheckpointStore(paths.checkpoints),
    source: () => ({...options, schema: schemaOf(database), secrets, build: () => build.recorded()}),
    temporary: paths.temporary,
    log,
    tell: async news => void (await database.write([eventOf(news, scrub)])),
  })
  const uploads = new Uploads({
    checkpoints,
    secrets: () => secrets,
    temporary: paths.temporary,
    least,
    log,
    tell: async ({id, size}) => void (await database.write([telling("checkpoint.uploaded", {checkpoint: id, size})])),
  })
  const releases = new Releases({
    record: new ReleaseRecord(paths.releases),
    checkpoints,
    ingress,
    code: () => readCode(paths.project, process.env),
    build: () => build.settled(),
    changes: async () => (await build.recorded()).changes,
    copy: () => hashProject(paths),
    discard: () => discardPrepared(paths),
    runtimeId: options.runtimeId,
    window: () => settings().releases.window,
    log,
    tell: async ({type, data}) => void (await database.write([telling(type, data, {}, scrub)])),
  })
  let schedule: CheckpointSchedule | undefined
  return {
    checkpoints,
    uploads,
    releases,
    hide: fresh => {
      for (const value of fresh) values.add(value)
    },
    learn: config => {
      // Values of earlier generations may still be stored somewhere.
      secrets = {...secrets, ...nameSecrets(config.text, config.variables, values)}
      rememberNames(database, Object.keys(secrets)).catch(error =>
        log.warn("the Host could not store the names of the secrets", {error}),
      )
    },
    start: async () => {
      void build.start()
      await checkpoints.start()
      // The Host also runs without the release record: only releases need it.
      await releases.start().catch(error => log.error(`releases: ${messageOf(error)}`))
      // A remote database has its own backup tool and schedule.
      if (database.location.dialect !== "sqlite") return
      const [row] = await database.read("SELECT min(started_at) AS at FROM svc_runs")
      schedule = new CheckpointSchedule({
        checkpoints,
        settings: () => ({every: durationOf(settings().checkpoints.every), keep: settings().checkpoints.keep}),
        firstStart: Number(row?.at),
        log,
      })
      schedule.start()
    },
    stop: async () => {
      schedule?.stop()
      await uploads.stop()
      await checkpoints.stop()
      await releases.stop()
    },
  }
}

const eventOf = (news: CheckpointNews, scrub: Hide) => {
  const {id: checkpoint} = news
  switch (news.is) {
    case "created":
      return telling("checkpoint.created", {checkpoint, reason: news.reason, size: news.size})
    case "verified":
      return telling("checkpoint.verified", {checkpoint, warnings: [...news.warnings]})
    case "refused":
      return telling("checkpoint.refused", {checkpoint, findings: [...news.findings], warnings: [...news.warnings]})
    case "failed":
      return telling("checkpoint.failed", {checkpoint, code: news.code, detail: news.detail}, {}, scrub)
    case "pruned":
      return telling("checkpoint.pruned", {checkpoint})
  }
}
