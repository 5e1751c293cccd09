import {Problem} from "../../../shared/problems.ts"
import {version} from "../version.ts"

/** Returns the svc versions that a package supports: its peer dependency `svc-runtime`; undefined if it names none. */
export const sdkRangeOf = (manifest: unknown): string | undefined => {
  if (typeof manifest !== "object" || manifest === null || !("peerDependencies" in manifest)) return undefined
  const peers = manifest.peerDependencies
  if (typeof peers !== "object" || peers === null || !("svc-runtime" in peers)) return undefined
  return typeof peers["svc-runtime"] === "string" ? peers["svc-runtime"] : undefined
}

/**
 * Throws `plugin_incompatible` if a package.json names svc versions that do not include the running one. `who` starts
 * the message. A missing or invalid range passes.
 */
export const requireFittingSdk = async (manifest: unknown, who: string): Promise<void> => {
  const range = sdkRangeOf(manifest)
  if (range === undefined) return
  const {isWithin} = await import("./version-range.ts")
  if (isWithin(version, range) !== false) return
  const own = typeof manifest === "object" && manifest !== null && "version" in manifest ? ` ${manifest.version}` : ""
  throw new Problem("plugin_incompatible", `${who}${own} needs svc-runtime "${range}", but this is ${version}`)
}
