import coerce from "semver/functions/coerce.js"
import satisfies from "semver/functions/satisfies.js"
import validRange from "semver/ranges/valid.js"

/**
 * Is a version within a range as `engines` of package.json has it? Undefined for what is no range. Pre-releases count as the
 * release.
 */
export const isWithin = (version: string, range: string): boolean | undefined => {
  const own = coerce(version)
  return own === null || validRange(range) === null ? undefined : satisfies(own, range)
}
