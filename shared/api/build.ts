import {Closed, NamedClosed, orNull, type Static, Type} from "../type.ts"

/** The identity of running or built code. Two builds with the same `id` have the same code, packages and svc. */
export const BuildIdentity = NamedClosed("BuildIdentity", {
  id: Type.String({description: "12 hexadecimal digits over commit, svc, lockfile and the project's own plugins"}),
  commit: orNull(Type.String({description: "The git work tree's commit, or SVC_COMMIT; null if unknown"})),
  dirty: orNull(
    Type.Boolean({description: "True if it had uncommitted changes besides the configuration; null if unknown"}),
  ),
  version: Type.String({description: "Version of svc"}),
  lockfile: orNull(Type.String({description: "SHA-256 of the lockfile; null if there is none"})),
  installed: orNull(
    Type.String({
      description:
        "SHA-256 of the lockfile from which `svc release install` installed the packages; null without its stamp",
    }),
  ),
  plugins: Type.Array(
    Closed({
      name: Type.String(),
      origin: Type.Enum(["source", "built", "built-in", "package"]),
      content: Type.String({description: "Equal for equal code. For a built plugin, the SHA-256 of its file"}),
    }),
    {description: "For a running Host, its loaded plugins. For a folder, the plugins built in it"},
  ),
  stale: Type.Array(Type.String(), {
    description: "Built plugins that do not match their source; a running Host has any only because of --allow-stale",
  }),
})
export type BuildIdentity = Static<typeof BuildIdentity>
