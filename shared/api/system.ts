import {Named, NamedClosed, Optional, orNull, type Static, Time, Type} from "../type.ts"
import {BuildIdentity} from "./build.ts"
import {CheckpointFailure, NewestCheckpoint} from "./checkpoint.ts"
import {UncommittedConfig} from "./configuration/file.ts"
import {Unready} from "./configuration/unready.ts"
import {IngressView} from "./readiness.ts"

/** The Host and its generations as the HTTP API shows them. A demo token does not see fields marked `private`. */

export const Ready = Named("Ready", {ready: Type.Boolean()})

export const SessionView = Named("SessionView", {
  project: Type.String(),
  version: Type.String({description: "Version of svc"}),
  scope: Type.Enum(["demo", "full"], {description: "The scope of the request's token"}),
})
export type SessionView = Static<typeof SessionView>

export const Status = Named("Status", {
  project: Type.String(),
  version: Type.String({description: "Version of svc"}),
  build: BuildIdentity,
  runtime: Type.Object({name: Type.Enum(["bun", "node"]), version: Type.String()}),
  runtimeId: Type.String(),
  authority: Type.String(),
  mode: Type.Enum(["development", "production", "test"]),
  startedAt: Time(),
  uptime: Type.Number({description: "Seconds"}),
  restarts: Type.Integer({description: "Starts of this project before this one"}),
  endedCleanly: Type.Boolean({description: "False if the previous run was killed"}),
  generation: Type.Object({number: Type.Integer(), committedAt: Time(), reason: Type.String()}),
  provisional: Type.Optional(
    Named(
      "Provisional",
      {
        since: Time(),
        attempts: Type.Integer({description: "Attempts to reach the database or to store something"}),
        waitsFor: Type.Enum(["database", "space"], {
          description:
            "database: a remote database does not answer. space: the disk is full; then no generation runs, and its number is 0",
        }),
        error: Type.String({private: true, description: "Why the last attempt failed"}),
      },
      {
        description:
          "Present until the Host first reaches the remote database, or while the disk is too full to start. Values that only the database has are then 0, null, true or empty: restarts, endedCleanly, authorities, workroom, checkpoints, ingress",
      },
    ),
  ),
  pin: orNull(Type.Object({number: Type.Integer()}), {
    description: "The generation whose configuration is pinned, by a rollback or by disabling a plugin",
  }),
  lastFailure: orNull(
    Named("LastFailure", {
      at: Time(),
      reason: Type.String(),
      code: Type.String(),
      detail: Type.String({private: true}),
      issues: Type.Array(Type.String(), {private: true}),
    }),
    {description: "The last generation that could not be committed"},
  ),
  lastGood: orNull(
    Type.Object({
      generation: Type.Integer(),
      why: Type.String({private: true, description: "Why the project did not start in its current state"}),
    }),
    {description: "The last good generation. It runs because the project failed to start twice in a row"},
  ),
  uncommitted: UncommittedConfig,
  ready: Type.Boolean(),
  supervisor: Type.String({description: "What restarts the Host; none if nothing does"}),
  ingress: IngressView,
  checkpoint: NewestCheckpoint,
  checkpointFailure: CheckpointFailure,
  database: Type.Object({
    dialect: Type.Enum(["sqlite", "libsql"]),
    state: Type.String(),
    schema: orNull(Type.Integer()),
  }),
  workroom: Type.Object({
    store: Type.Enum(["database", "file"]),
    authority: Type.String(),
    seq: Type.Integer({description: "Number of the last record in its Journal"}),
  }),
  epoch: Type.String({description: "Short form of the authority, in the ids of events"}),
  authorities: Type.Array(
    Type.Object({
      part: Type.Enum(["database", "event log", "workroom Journal", "job file"]),
      authority: orNull(Type.String(), {description: "Null if the part does not exist yet"}),
    }),
    {description: "The authority that each part of the state names. All are equal, or the Host would not have started"},
  ),
})
export type Status = Static<typeof Status>

export const RestartRequest = NamedClosed("RestartRequest", {
  confirm: Optional.Boolean({description: "Restart even if no supervisor would restart the Host"}),
  force: Optional.Boolean({description: "Restart without a trial of the next start"}),
})

export const RestartResult = Named("RestartResult", {restarting: Type.Boolean(), unready: Unready})
export type RestartResult = Static<typeof RestartResult>

export const ReloadResult = Named("ReloadResult", {
  committed: Type.Boolean({description: "False if nothing had changed"}),
  generation: Type.Integer(),
  restarting: Optional.Boolean({description: "True if the change needs a restart, which has begun"}),
  unready: Unready,
})
export type ReloadResult = Static<typeof ReloadResult>

export const IngressRequest = NamedClosed("IngressRequest", {
  reason: Optional.Enum(["operator", "release"], {default: "operator"}),
})

export const GenerationView = Named("GenerationView", {
  number: Type.Integer(),
  committedAt: Time(),
  reason: Type.String(),
  runtimeId: Type.String(),
  configSha256: Type.String(),
  plugins: Type.Array(Type.String()),
  code: Type.Record(Type.String(), Type.String(), {description: "Fingerprint of each plugin's code, by plugin name"}),
  current: Type.Boolean(),
  pinned: Type.Boolean(),
  unready: Unready,
})
export type GenerationView = Static<typeof GenerationView>
