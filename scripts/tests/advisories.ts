import {satisfies} from "semver"
import {Check} from "typebox/schema"
import {Type} from "../../shared/type.ts"
import type {Package} from "../plan/installation.ts"

/** A known fault of a package. */
export interface Advisory {
  readonly package: string
  readonly severity: string
  readonly title: string
  readonly url: string
  /** The range of versions that have the fault. */
  readonly versions: string
}

export type Answer =
  | {readonly is: "answered"; readonly advisories: readonly Advisory[]}
  | {readonly is: "refused"; readonly reason: string}

/** The registry's answer, which `bun audit --json` prints as it came: the advisories of each package that has one. */
const Listing = Type.Record(
  Type.String(),
  Type.Array(
    Type.Object({
      severity: Type.String(),
      title: Type.String(),
      url: Type.String(),
      vulnerable_versions: Type.String(),
    }),
  ),
)

const parse = (stdout: string): unknown => {
  try {
    return JSON.parse(stdout)
  } catch {
    return undefined
  }
}

/** Reads what `bun audit --json` printed. Without a listing, the registry has not answered. */
export const readAnswer = (stdout: string, stderr: string): Answer => {
  const listing = parse(stdout)
  if (!Check(Listing, listing)) {
    return {is: "refused", reason: stderr.trim().split("\n").at(-1) || "bun audit printed no listing"}
  }
  const advisories = Object.entries(listing).flatMap(([name, own]) =>
    own.map(({severity, title, url, vulnerable_versions: versions}) => ({
      package: name,
      severity,
      title,
      url,
      versions,
    })),
  )
  return {is: "answered", advisories}
}

/** Returns the advisories, high or critical, of packages that users run. */
export const severeOf = (advisories: readonly Advisory[], production: readonly Package[]): readonly Advisory[] =>
  advisories.filter(
    ({package: name, severity, versions}) =>
      (severity === "high" || severity === "critical") &&
      production.some(each => each.name === name && satisfies(each.version, versions, {includePrerelease: true})),
  )
