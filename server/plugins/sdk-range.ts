import {Problem} from "../../shared/problems.ts"
import {version} from "../runtime/version.ts"

/** The versions of svc that a package says it was made for: its peer dependency `svc-runtime`; undefined where it names none. */
export const sdkRangeOf = (manifest: unknown): string | undefined => {
  if (typeof manifest !== "object" || manifest === null || !("peerDependencies" in manifest)) return undefined
  const peers = manifest.peerDependencies
  if (typeof peers !== "object" || peers === null || !("svc-runtime" in peers)) return undefined
  return typeof peers["svc-runtime"] === "string" ? peers["svc-runtime"] : undefined
}

/**
 * Throws `plugin_incompatible` where a package of this package.json names versions of svc without the one that runs. `who` begins
 * the message. One that names none, or something that is no range, passes.
 */
export const requireFittingSdk = async (manifest: unknown, who: string): Promise<void> => {
  const range = sdkRangeOf(manifest)
  if (range === undefined) return
  const {isWithin} = await import("./version-range.ts")
  if (isWithin(version, range) !== false) return
  const own = typeof manifest === "object" && manifest !== null && "version" in manifest ? ` ${manifest.version}` : ""
  throw new Problem("plugin_incompatible", `${who}${own} needs svc-runtime "${range}", but this is ${version}`)
}
