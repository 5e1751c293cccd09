import coerce from "semver/functions/coerce.js"
import satisfies from "semver/functions/satisfies.js"
import validRange from "semver/ranges/valid.js"

/** Returns whether a version, without its pre-release, is in a range as in `engines`; undefined for an invalid one. */
export const isWithin = (version: string, range: string): boolean | undefined => {
  const own = coerce(version)
  return own === null || validRange(range) === null ? undefined : satisfies(own, range)
}
