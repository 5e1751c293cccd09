import {Problem} from "../../../shared/problems.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import {version} from "../version.ts"

/** Returns the svc versions that a package supports: its peer dependency `svc-runtime`; undefined if it names none. */
export const sdkRangeOf = (manifest: unknown): string | undefined => {
  const range = fieldsOf(fieldsOf(manifest).peerDependencies)["svc-runtime"]
  return typeof range === "string" ? range : undefined
}

/** Throws `plugin_incompatible` if package.json excludes this svc. `who` starts the message. A missing range passes. */
export const requireFittingSdk = async (manifest: unknown, who: string): Promise<void> => {
  const range = sdkRangeOf(manifest)
  if (range === undefined) return
  const {isWithin} = await import("./version-range.ts")
  if (isWithin(version, range) !== false) return
  const own = fieldsOf(manifest).version
  throw new Problem(
    "plugin_incompatible",
    `${who}${own === undefined ? "" : ` ${own}`} needs svc-runtime "${range}", but this is ${version}`,
  )
}
