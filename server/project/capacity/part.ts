import type {ProjectConfig} from "../../../shared/config/config.ts"
import {exit} from "../../../shared/exit.ts"
import type {Log} from "../../../shared/log.ts"
import type {Database} from "../../database/database.ts"
import type {Ingress} from "../../endpoints/ingress.ts"
import {leastFree} from "../../runtime/files.ts"
import {every} from "../../runtime/flow/remember.ts"
import type {Exit, Part} from "../../runtime/part.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {Capacity} from "./capacity.ts"
import {DamageWatch} from "./damage-watch.ts"
import {type DiskLimit, watchDisk} from "./disk-watch.ts"
import {capacityMetrics, readStoredSizes} from "./metrics.ts"
import {PlaceWatch} from "./place-watch.ts"
import type {Retention} from "./retention.ts"
import {UserData, type UserDataOptions} from "./user/user-data.ts"

export interface CapacityOptions {
  readonly database: Database
  readonly log: Log
  readonly paths: ProjectPaths
  readonly project: string
  readonly disk: DiskLimit
  readonly askExit: (exit: Exit) => void
}

export interface CapacityNeeds {
  readonly running: {readonly settings: Pick<ProjectConfig, "retention" | "files">}
  readonly ingress: Ingress
  readonly satori: {readonly hasReachedAll: number}
  readonly users: Omit<UserDataOptions, "database">
}

export interface CapacityPart extends Part {
  readonly placeWatch: PlaceWatch
  readonly retention: Retention
  readonly watches: {readonly place: Part; readonly disk: Part; readonly damage: Part}
}

/** Watches the place, the room and the health of a Host's data, and deletes what is too old. */
export const createCapacity = (
  {database, log, paths, project, disk, askExit}: CapacityOptions,
  {running, ingress, satori, users}: CapacityNeeds,
): CapacityPart => {
  const diskWatch = watchDisk({...disk, onChange: isFull => ingress.setDiskFull(isFull), log})
  const placeWatch = new PlaceWatch({
    database,
    paths,
    log,
    onReplaced: () => ingress.setDatabaseLost(),
    onLockLost: () => askExit({code: exit.runtimeRestart, reason: "lock_lost"}),
  })
  const damage = new DamageWatch({database, log, onNeeded: () => ingress.setDatabaseLost()})
  const capacity = new Capacity({
    database,
    log,
    settings: () => running.settings.retention,
    reachedAll: () => satori.hasReachedAll,
    disk,
    fileQuota: () => running.settings.files.quota,
  })
  return {
    name: "the deletion of old rows",
    placeWatch,
    retention: capacity.retention,
    start: () => capacity.start(),
    stopTaking: () => capacity.stop(),
    limit: 1000,
    late: "the deletion of old rows did not end in time",
    metrics: capacityMetrics(database, disk),
    facts: {
      database: every(60_000, () => capacity.info(false)),
      capacity: async () => (await readStoredSizes(database.location)).svc_database_capacity_ratio?.[0]?.value,
      disk: async () => ({free: await leastFree(disk.folders), least: disk.least()}),
    },
    routes: async () => {
      const [{databaseRoutes}, {userRoutes}] = await Promise.all([import("./routes.ts"), import("./user/routes.ts")])
      return [
        ...databaseRoutes(capacity, damage, placeWatch),
        ...userRoutes(new UserData({...users, database}), project),
      ]
    },
    watches: {
      place: {name: "the watch on database and lock", start: () => placeWatch.start(), close: () => placeWatch.stop()},
      disk: {name: "the watch on the disk", start: () => diskWatch.start(), stopTaking: () => diskWatch.stop()},
      damage: {name: "the check of the database", start: () => damage.start(), stopTaking: () => damage.stop()},
    },
  }
}
