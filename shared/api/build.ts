import {type Static, Type} from "../type.ts"
import {Named, orNull} from "./schemas.ts"

const closed = {additionalProperties: false} as const

/** What runs, or would run: two builds with the same `id` have the same code, packages and svc. */
export const BuildIdentity = Named(
  "BuildIdentity",
  {
    id: Type.String({description: "12 hexadecimal digits over commit, svc, lockfile and the project's own plugins"}),
    commit: orNull(
      Type.String({description: "Of the project's git work tree, or what SVC_COMMIT said; null if unknown"}),
    ),
    dirty: orNull(Type.Boolean({description: "Did the work tree have uncommitted changes? Null if unknown"})),
    version: Type.String({description: "Of svc"}),
    lockfile: orNull(Type.String({description: "SHA-256 of the lockfile; null without one"})),
    installed: orNull(
      Type.String({
        description: "SHA-256 of the lockfile whose packages `svc release install` installed; null without its stamp",
      }),
    ),
    plugins: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          origin: Type.Enum(["source", "built", "built-in", "package"]),
          content: Type.String({description: "Equal for equal code. Of a built plugin: SHA-256 of its file"}),
        },
        closed,
      ),
      {description: "Of a running Host: the plugins it has loaded; of a folder: the plugins that are built in it"},
    ),
    stale: Type.Array(Type.String(), {
      description: "Built plugins that do not fit their source and run because of --allow-stale",
    }),
  },
  closed,
)
export type BuildIdentity = Static<typeof BuildIdentity>
