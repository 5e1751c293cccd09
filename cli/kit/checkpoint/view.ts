import {describeBuild} from "../../../server/recovery/build/compare.ts"
import {detailOf, type StoredCheckpoint} from "../../../server/recovery/checkpoint/store.ts"
import type {Restored, RestorePlan} from "../../../server/recovery/restore/restore.ts"
import {bytes, counted, duration, type Facts, facts} from "../print.ts"

export const ageOf = (time: string): string => duration((Date.now() - Date.parse(time)) / 1000)

/** Returns a warning if the commit of a checkpoint does not have everything that ran. */
export const warningsOf = ({code}: StoredCheckpoint["manifest"]): readonly string[] =>
  code.clean === false ? ["the commit does not have everything that ran: svc rollback refuses it"] : []

export const describeCheckpoint = (stored: StoredCheckpoint): string => {
  const {manifest, verification, state, size, uploadedAt} = detailOf(stored)
  const {code, lockfile, database, secrets} = manifest
  return facts([
    ["id", stored.id],
    ["state", state === "complete" ? `complete, not verified (svc checkpoint verify ${stored.id})` : state],
    ["finding", verification?.findings],
    ["warning", verification?.warnings],
    ["made", `${manifest.createdAt} (${ageOf(manifest.createdAt)} ago), ${manifest.reason}`],
    ["uploaded", uploadedAt && `${uploadedAt}; not a backup of this project, so it never counts as its newest`],
    ["size", `${bytes(size)} in ${manifest.files.length} files`],
    ["project", manifest.project],
    ["authority", manifest.authority],
    ["generation", String(manifest.generation ?? "none")],
    [
      "database",
      `${database.dialect}, schema ${database.schema}${database.restorePoint === null ? "" : `, its own backup ${database.restorePoint}`}`,
    ],
    ["commit", code.commit ?? "not known"],
    ["warning", warningsOf(manifest)],
    ["build", manifest.build && describeBuild(manifest.build)],
    ["image", code.image],
    ["configuration", manifest.configuration.sha256.slice(0, 12)],
    ["lockfile", lockfile === null ? "none" : `${lockfile.name} ${lockfile.sha256.slice(0, 12)}`],
    ["not included", secrets.join(", ") || "no secrets are known"],
    ["made by", `svc ${manifest.version}`],
  ])
}

/** Describes what a restore left for a person. */
export const describeOutcome = ({held, notes, paused}: Restored): Facts => [
  [
    "held",
    `${counted(held.outbox, "message")} (svc outbox list --state held), ${counted(held.inbox, "handler")} (svc inbox list --state held), ${counted(held.agents, "run")} of agents (svc agent runs --state held), ${counted(held.timers, "timer")} (svc timer list --state held)`,
  ],
  ["settled", `${counted(held.settled, "row")} that the replaced state had already sent, handled or ended`],
  ["ingress", paused.map(reason => `paused by ${reason}; once the Host runs: svc ingress resume --reason ${reason}`)],
  ["note", notes],
]

/** Returns the change of the schema, and the migrations that only the checkpoint's data can undo. */
export const describeSchema = ({checkpoint: id, schema, crossed}: RestorePlan, now = "now"): Facts => {
  const isSame = schema.now === null || schema.now === schema.checkpoint
  const lost = `the data of ${id} replaces all data, and later data is lost`
  return [
    ["schema", `${schema.checkpoint}${isSame ? "" : `, ${now} ${schema.now}`}`],
    ["not undone", crossed.map(({what, why}) => `${what}: ${why}; ${lost}`)],
  ]
}
