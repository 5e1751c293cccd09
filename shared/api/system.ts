import {Type} from "../type.ts"
import {BuildIdentity} from "./build.ts"
import {CheckpointFailure, NewestCheckpoint} from "./checkpoint.ts"
import {UncommittedConfig} from "./configuration/file.ts"
import {IngressView} from "./readiness.ts"
import {Named, Time} from "./schemas.ts"

/** The Host as the HTTP API shows it, and its generations. What is marked `private` is left out for a demo token. */

export const Ready = Named("Ready", {ready: Type.Boolean()})

export const SessionView = Named("SessionView", {
  project: Type.String(),
  version: Type.String({description: "Version of svc"}),
  scope: Type.Enum(["demo", "full"], {description: "What the token that was shown may do"}),
})

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
  endedCleanly: Type.Boolean({description: "False when the run before this one was killed"}),
  generation: Type.Object({number: Type.Integer(), committedAt: Time(), reason: Type.String()}),
  provisional: Type.Optional(
    Named(
      "Provisional",
      {
        since: Time(),
        attempts: Type.Integer({description: "How often the database was asked, or storing was tried"}),
        waitsFor: Type.Enum(["database", "space"], {
          description:
            "A remote database that does not answer; or space on a full disk, and then no generation runs: its number is 0",
        }),
        error: Type.String({private: true, description: "Why the last attempt failed"}),
      },
      {
        description:
          "While the remote database was never reached, or the disk is too full to begin. What only it knows is then left at 0, null, true or empty: restarts, endedCleanly, authorities, workroom, checkpoints, ingress",
      },
    ),
  ),
  pin: Type.Union([Type.Object({number: Type.Integer()}), Type.Null()], {
    description: "The generation whose configuration is pinned, by a rollback or a plugin that was disabled",
  }),
  lastFailure: Type.Union(
    [
      Named("LastFailure", {
        at: Time(),
        reason: Type.String(),
        code: Type.String(),
        detail: Type.String({private: true}),
        issues: Type.Array(Type.String(), {private: true}),
      }),
      Type.Null(),
    ],
    {description: "The newest generation that was not committed"},
  ),
  lastGood: Type.Union(
    [
      Type.Object({
        generation: Type.Integer(),
        why: Type.String({private: true, description: "Why the project as it is did not start"}),
      }),
      Type.Null(),
    ],
    {description: "The generation that runs because the project as it is has failed to start twice in a row"},
  ),
  uncommitted: UncommittedConfig,
  ready: Type.Boolean(),
  supervisor: Type.String({description: "Who starts the Host again; none where nobody does"}),
  ingress: IngressView,
  checkpoint: NewestCheckpoint,
  checkpointFailure: CheckpointFailure,
  database: Type.Object({
    dialect: Type.Enum(["sqlite", "libsql"]),
    state: Type.String(),
    schema: Type.Union([Type.Integer(), Type.Null()]),
  }),
  workroom: Type.Object({
    store: Type.Enum(["database", "file"]),
    authority: Type.String(),
    seq: Type.Integer({description: "The last record of its Journal"}),
  }),
  epoch: Type.String({description: "Short form of the authority, in the ids of events"}),
  authorities: Type.Array(
    Type.Object({
      part: Type.Enum(["database", "event log", "workroom Journal", "job file"]),
      authority: Type.Union([Type.String(), Type.Null()], {description: "Null where there is none of it yet"}),
    }),
    {description: "What each part of the state names: all the same one, or the Host would not have started"},
  ),
})

export const RestartRequest = Named(
  "RestartRequest",
  {
    confirm: Type.Optional(Type.Boolean({description: "Do it even where nothing would start the Host again"})),
    force: Type.Optional(Type.Boolean({description: "Restart without trying the next start before"})),
  },
  {additionalProperties: false},
)

export const ReloadResult = Named("ReloadResult", {
  committed: Type.Boolean({description: "False where nothing had changed"}),
  generation: Type.Integer(),
  restarting: Type.Optional(Type.Boolean({description: "The change needs a restart, which has begun"})),
})

export const IngressRequest = Named(
  "IngressRequest",
  {reason: Type.Optional(Type.Enum(["operator", "release"], {default: "operator"}))},
  {additionalProperties: false},
)

export const GenerationView = Named("GenerationView", {
  number: Type.Integer(),
  committedAt: Time(),
  reason: Type.String(),
  runtimeId: Type.String(),
  configSha256: Type.String(),
  plugins: Type.Array(Type.String()),
  code: Type.Record(Type.String(), Type.String(), {description: "Fingerprint of the code of each plugin, by its name"}),
  current: Type.Boolean(),
  pinned: Type.Boolean(),
})

export const GenerationConfig = Named("GenerationConfig", {
  number: Type.Integer(),
  config: Type.String({description: "The configuration file, with ${NAME} unexpanded"}),
})
