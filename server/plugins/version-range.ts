import coerce from "semver/functions/coerce.js"
import satisfies from "semver/functions/satisfies.js"
import validRange from "semver/ranges/valid.js"

/**
 * Returns whether a version is within a range as in `engines` of package.json; undefined for an invalid range. A
 * pre-release counts as its release.
 */
export const isWithin = (version: string, range: string): boolean | undefined => {
  const own = coerce(version)
  return own === null || validRange(range) === null ? undefined : satisfies(own, range)
}
